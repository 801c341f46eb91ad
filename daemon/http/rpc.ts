// `POST /rpc`: JSON-RPC 2.0, single or batch (https://www.jsonrpc.org/specification). The entries of a batch run concurrently and
// are answered in their order; a notification is run and not answered. Every request is answered exactly once, whatever happens.
import { isMethod, PoolError, type MethodName } from "../contract/index.ts";
import { rpcError, rpcResult, type Faults } from "./answers.ts";
import type { Caller } from "./callers.ts";
import { readMessage, type Envelope } from "./envelope.ts";
import { methodTable, type Asked, type MethodTable } from "./methods.ts";
import { checkParams } from "./params.ts";
import type { HttpPorts } from "./ports.ts";

export class Rpc {
  readonly #methods: MethodTable;
  readonly #faults: Faults;

  constructor(ports: HttpPorts, faults: Faults) {
    this.#methods = methodTable(ports);
    this.#faults = faults;
  }

  /** The text of the answer; `undefined` when there is nothing to answer. Never rejects. */
  async answer(body: string, caller: Caller | undefined): Promise<string | undefined> {
    const message = readMessage(body);
    const loss = new CallerLoss(caller);
    try {
      if (message.kind === "single") return await this.#answerEntry(message.entry, loss);
      const answers = await Promise.all(message.entries.map((entry) => this.#answerEntry(entry, loss)));
      const texts = answers.filter((text) => text !== undefined);
      return texts.length === 0 ? undefined : `[${texts.join(",")}]`;
    } finally {
      loss.settled();
    }
  }

  async #answerEntry(entry: Envelope, loss: CallerLoss): Promise<string | undefined> {
    if (entry.kind === "invalid") return rpcError(entry.id, entry.error);
    const id = entry.kind === "request" ? entry.id : undefined;
    try {
      const { method } = entry;
      if (!isMethod(method)) throw new PoolError("method_not_found", `There is no method "${method.slice(0, 100)}"`);
      const result = await run(this.#methods, method, entry.params, {
        signal: loss.signal,
        callerLost: loss.ofConnection,
        lossy: entry.lossy,
      });
      return id === undefined ? undefined : rpcResult(id, result);
    } catch (thrown) {
      // Where the caller is lost, a rejection is the abort coming back, and nobody reads the answer.
      const error = loss.happened
        ? new PoolError("internal_error", "The caller is gone")
        : this.#faults.toAnswer(thrown, entry.method);
      return id === undefined ? undefined : rpcError(id, error);
    }
  }
}

function run<M extends MethodName>(
  methods: Pick<MethodTable, M>,
  method: M,
  params: unknown,
  asked: Asked,
): string | Promise<string> {
  return methods[method](checkParams(method, params), asked);
}

/** The loss of one request's caller, as a signal that is only made when somebody asks for it. */
class CallerLoss {
  readonly #caller: Caller | undefined;
  #controller: AbortController | undefined;

  constructor(caller: Caller | undefined) {
    this.#caller = caller;
  }

  get happened(): boolean {
    return this.#caller?.gone === true;
  }

  readonly ofConnection = (): AbortSignal => this.#caller?.lost ?? this.signal();

  readonly signal = (): AbortSignal => {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      this.#caller?.whenLost(this.#abort);
    }
    return this.#controller.signal;
  };

  settled(): void {
    if (this.#controller !== undefined) this.#caller?.answered(this.#abort);
  }

  readonly #abort = (): void => this.#controller?.abort();
}
