import type { Env as WorkerEnv } from './env.ts';

// The runtime's types expect the bindings under this name.
declare global {
  namespace Cloudflare {
    interface Env extends WorkerEnv {}
  }
}
