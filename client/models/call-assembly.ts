// Puts the tool calls of a streamed chat reply together from their pieces. Providers differ: some number the calls, some give
// every call the same number and a new id, some give no id at all. What comes out has unique ids in the order of the reply.
import type { RequestedCall } from "./model.ts";

export interface CallPiece {
  readonly index?: number | undefined;
  readonly id?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly arguments?: string | null | undefined;
}

interface OpenCall {
  readonly index: number | undefined;
  id: string;
  name: string;
  argumentsText: string;
}

export class CallAssembly {
  readonly #calls: OpenCall[] = [];

  take(piece: CallPiece): void {
    const id = piece.id ?? "";
    let call = this.#find(piece.index, id);
    if (call === undefined) {
      call = { index: piece.index, id, name: "", argumentsText: "" };
      this.#calls.push(call);
    }
    if (call.id === "") call.id = id;
    // A name comes whole; a provider that repeats it in every piece does not mean it to be longer.
    if (call.name === "") call.name = piece.name ?? "";
    call.argumentsText += piece.arguments ?? "";
  }

  #find(index: number | undefined, id: string): OpenCall | undefined {
    const last = this.#calls.at(-1);
    const candidate = index === undefined ? last : this.#calls.findLast((call) => call.index === index);
    return candidate !== undefined && id !== "" && candidate.id !== "" && candidate.id !== id ? undefined : candidate;
  }

  finish(): readonly RequestedCall[] {
    return withUniqueIds(this.#calls.map(({ id, name, argumentsText }) => ({ callId: id, name, argumentsText })));
  }
}

/** Results are matched to calls by id: two calls with one id, or none, could not be answered. */
export function withUniqueIds(calls: readonly RequestedCall[]): readonly RequestedCall[] {
  const taken = new Set<string>();
  return calls.map((call, at) => {
    const wanted = call.callId === "" ? `call_${String(at + 1)}` : call.callId;
    let callId = wanted;
    for (let n = 2; taken.has(callId); n++) callId = `${wanted}_${String(n)}`;
    taken.add(callId);
    return callId === call.callId ? call : { ...call, callId };
  });
}
