// Server-sent events (WHATWG HTML, section 9.2) from a byte stream: whole events come out, comments and the rest do not. An
// event that was cut off by the end of the stream is dropped, as the standard says.

export interface StreamEvent {
  readonly event: string;
  readonly id?: string;
  readonly data: string;
}

export async function* readEvents(bytes: AsyncIterable<Uint8Array>): AsyncIterable<StreamEvent> {
  const decoder = new TextDecoder();
  let text = "";
  let fields = new EventFields();
  for await (const chunk of bytes) {
    text += decoder.decode(chunk, { stream: true });
    for (;;) {
      const end = /\r\n|\n|\r/.exec(text);
      // A CR at the very end may be the first half of a CRLF that is still on its way.
      if (end === null || (end[0] === "\r" && end.index === text.length - 1)) break;
      const line = text.slice(0, end.index);
      text = text.slice(end.index + end[0].length);
      if (line !== "") fields.take(line);
      else {
        const event = fields.event();
        fields = new EventFields(fields.id);
        if (event !== undefined) yield event;
      }
    }
  }
}

class EventFields {
  #event = "";
  #data: string[] = [];
  id: string | undefined;

  constructor(id?: string) {
    this.id = id;
  }

  take(line: string): void {
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    const rest = colon < 0 ? "" : line.slice(colon + 1);
    const value = rest.startsWith(" ") ? rest.slice(1) : rest;
    if (name === "event") this.#event = value;
    else if (name === "data") this.#data.push(value);
    else if (name === "id" && !value.includes("\0")) this.id = value;
  }

  event(): StreamEvent | undefined {
    if (this.#data.length === 0) return undefined;
    const head = this.#event === "" ? "message" : this.#event;
    return { event: head, ...(this.id === undefined ? {} : { id: this.id }), data: this.#data.join("\n") };
  }
}
