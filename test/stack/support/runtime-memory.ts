import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { type Inspector, connectInspector } from '../../../bench/inspector.ts';
import { runtimePids } from '../soak/victims.ts';

const usage = z.object({ usedSize: z.number(), backingStorageSize: z.number() });
const WAKE_MS = 100;

/** A local Workers runtime whose memory can be measured. */
export interface MeasuredRuntime {
  readonly baseUrl: string;
  /** The data directory of its stack. */
  readonly dataDir: string;
  readonly inspectorPort: number;
}

/** The memory of a Workers runtime. */
export class RuntimeMemory {
  readonly #runtime: MeasuredRuntime;
  readonly #inspector: Inspector;

  private constructor(runtime: MeasuredRuntime, inspector: Inspector) {
    this.#runtime = runtime;
    this.#inspector = inspector;
  }

  /**
   * Open it before a load begins, and close it after: wrangler keeps every line of the log for an inspector that may
   * connect later, and sends it all of them first.
   */
  static async open(runtime: MeasuredRuntime): Promise<RuntimeMemory> {
    return new RuntimeMemory(runtime, await connectInspector(runtime.inspectorPort));
  }

  /**
   * @returns the bytes on the JavaScript heap of the Worker and in its array buffers, after a collection.
   * @throws when the inspector does not answer, or the service does not.
   */
  async collectedHeap(): Promise<number> {
    const ended = new AbortController();
    const collected = this.#inspector.command('HeapProfiler.collectGarbage').finally(() => ended.abort());
    // V8 collects in a task, and the runtime only runs tasks when the Worker has handled something.
    const wake = async () => {
      while (!ended.signal.aborted) {
        const response = await fetch(`${this.#runtime.baseUrl}/health`);
        await response.body?.cancel();
        await delay(WAKE_MS);
      }
    };
    await Promise.all([collected, wake()]);
    const { usedSize, backingStorageSize } = usage.parse(await this.#inspector.command('Runtime.getHeapUsage'));
    return usedSize + backingStorageSize;
  }

  /** @returns the bytes that the processes of the runtime hold resident. */
  resident(): number {
    return runtimePids(this.#runtime.dataDir)
      .map((pid) => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024)
      .reduce((sum, bytes) => sum + bytes, 0);
  }

  close(): void {
    this.#inspector.close();
  }
}
