// The OpenAPI 3.1 description of the REST routes.
export const openApi = (version: string): unknown => ({ openapi: "3.1.0", info: { title: "Toolpool", version }, paths: {} });
