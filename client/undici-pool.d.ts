// undici's Pool by its own file. The package's main file also loads fetch, WebSocket, caches and mocks, which would be most of
// the time that a short command takes.
declare module "undici/lib/dispatcher/pool.js" {
  import { Pool } from "undici";
  export = Pool;
}
