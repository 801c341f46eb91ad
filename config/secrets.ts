export const maskArgs = (args: readonly string[]): readonly string[] => args;
