// Links to stdio servers, as connections make them.
import type { LinkFactory } from "./port.ts";
import { StdioLink } from "./stdio-link.ts";

export const stdioLink: LinkFactory = (spec, _connectionId, events) => new StdioLink(spec, events);
