// What a server says of itself in quarantine: started on a connection of its own, listed, judged, stopped; nothing is published.
// All of it but refusals, notes and digests was written by the server: it is for the person who reviews, never for a model.

export interface InspectedTool {
  /** The server's own name. */
  readonly name: string;
  /**
   * Every model-visible member as published, `default` values left out, as canonical JSON text (no number in it is rounded): what
   * the lock file keeps.
   */
  readonly definition: string;
  /** SHA-256 (hex) of `definition`: the pin. */
  readonly digest: string;
  /** Why it could not be exposed, whatever its effect; a refused tool can only be `hidden`. */
  readonly refusals: readonly InspectionRemark[];
  /** What a person may want to know of it. */
  readonly notes: readonly Omit<InspectionRemark, "code">[];
}

export interface InspectionRemark {
  readonly code: string;
  /** JSON Pointer (RFC 6901) into the tool's list entry. */
  readonly pointer: string;
  readonly message: string;
}

export interface Inspection {
  readonly alias: string;
  readonly protocolVersion: string;
  readonly serverInfo: { readonly name: string; readonly version: string };
  /** In the order of the server's list. */
  readonly tools: readonly InspectedTool[];
  /** Refusals of the list as a whole: entries without a name, names that stand twice. While there is one, nothing connects. */
  readonly refusals: readonly (InspectionRemark & { readonly tool: string })[];
  /** The end of what it wrote to stderr. */
  readonly stderrTail: string;
}
