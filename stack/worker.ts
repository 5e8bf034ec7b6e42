import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { type KeptProcess, startKept } from './kept-process.ts';
import { freePort } from './ports.ts';
import { writePrivateFile } from './private-file.ts';
import { writeWorkerConfig } from './worker-config.ts';

/** The Worker, running in `wrangler dev`. */
export interface LocalWorker {
  /** Resolves when it has ended, asked or unasked, with how. */
  readonly exited: Promise<string>;
  stop(): Promise<void>;
}

export interface WorkerOptions {
  /** Durable Objects, caches, settings and logs are kept in here. */
  readonly dataDir: string;
  readonly port: number;
  /** Becomes the Worker's environment, beside what wrangler.toml says. */
  readonly settings: Readonly<Record<string, string>>;
  /** The file that its output goes to; it is begun anew. Without one the output goes to stdout, once the Worker answers. */
  readonly logFile?: string;
}

const PROJECT = fileURLToPath(new URL('..', import.meta.url));
const STARTUP_MS = 90_000;

const temporary = (directory: string) => join(directory, 'tmp');

/** Our environment without what would lead wrangler to an account or to the settings of another stack. */
function environment(directory: string): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !/^(?:CLOUDFLARE|WRANGLER|MINIFLARE|CF)_/.test(entry[0]),
  );
  return {
    ...Object.fromEntries(inherited),
    CI: 'true',
    NO_COLOR: '1',
    FORCE_COLOR: '0',
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_SEND_ERROR_REPORTS: 'false',
    WRANGLER_HIDE_BANNER: 'true',
    WRANGLER_WRITE_LOGS: 'false',
    WRANGLER_CACHE_DIR: join(directory, 'cache'),
    WRANGLER_LOG_PATH: join(directory, 'logs'),
    // Where Workers on one machine find each other: two stacks must not.
    WRANGLER_REGISTRY_PATH: join(directory, 'registry'),
    XDG_CONFIG_HOME: join(directory, 'config'),
    // What it leaves behind when it is killed is removed at the next start.
    TMPDIR: temporary(directory),
    // It would ask the network for a sample of Request.cf.
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  };
}

/** As dotenv reads it: a value in single quotes is taken as it is. */
function envFile(settings: Readonly<Record<string, string>>): string {
  const lines = Object.entries(settings).map(([name, value]) => {
    if (/['\n\r]/.test(value)) throw new Error(`The setting ${name} must not have a quote or a line break`);
    return `${name}='${value}'`;
  });
  return `${lines.join('\n')}\n`;
}

/** What wrangler says of itself at its start, at a reload and at a request, beside the Worker's log and what went wrong. */
const noise =
  /^(?:\[wrangler:info\]|⎔|🪵|Your Worker has access|Binding |env\.|Using secrets|\s*$)|scheduled event|local\/scheduled|Scheduled Workers|cron-triggers/;

function readable(line: string): string | undefined {
  const text = stripVTControlCharacters(line);
  return noise.test(text) ? undefined : text;
}

const lastWords = (worker: KeptProcess) =>
  worker
    .lastLines()
    .split('\n')
    .flatMap((line) => readable(line) ?? [])
    .join('\n');

async function isHealthy(baseUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/health`, { signal: AbortSignal.timeout(5_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

async function untilHealthy(baseUrl: string, worker: KeptProcess): Promise<void> {
  const deadline = Date.now() + STARTUP_MS;
  let ended: string | undefined;
  void worker.exited.then((how) => (ended = how));
  while (Date.now() < deadline) {
    if (ended !== undefined) throw new Error(`wrangler ended (${ended}).\n${lastWords(worker)}`);
    // It would wait for someone to mend the sources.
    if (/Build failed with/.test(worker.lastLines())) {
      await worker.stop();
      throw new Error(`The Worker does not build.\n${lastWords(worker)}`);
    }
    if (await isHealthy(baseUrl)) return;
    await delay(100);
  }
  await worker.stop();
  throw new Error(
    `The Worker did not answer 200 on ${baseUrl}/health within ${STARTUP_MS / 1_000} seconds.\n${lastWords(worker)}`,
  );
}

/**
 * Runs the Worker with `wrangler dev` on 127.0.0.1 and resolves when `/health` answers 200. It ends with this process.
 * @throws when wrangler ends or the Worker does not become healthy, with wrangler's last words.
 */
export async function startWorker(options: WorkerOptions): Promise<LocalWorker> {
  const directory = join(options.dataDir, 'worker');
  rmSync(temporary(directory), { recursive: true, force: true });
  mkdirSync(temporary(directory), { recursive: true });
  const settingsFile = join(directory, 'settings.env');
  writePrivateFile(settingsFile, envFile(options.settings));
  const configFile = writeWorkerConfig(directory);
  if (options.logFile !== undefined) writePrivateFile(options.logFile, '');
  let started = false;
  const print = (line: string) => {
    const text = readable(line);
    if (started && text !== undefined) console.log(text);
  };
  const worker = await startKept(
    {
      name: 'wrangler',
      command: process.execPath,
      args: [
        join(PROJECT, 'node_modules/wrangler/bin/wrangler.js'),
        'dev',
        `--config=${configFile}`,
        `--env-file=${settingsFile}`,
        `--persist-to=${join(directory, 'state')}`,
        '--ip=127.0.0.1',
        `--port=${options.port}`,
        `--inspector-port=${await freePort()}`,
        '--show-interactive-dev-session=false',
      ],
      cwd: PROJECT,
      env: environment(directory),
      ...(options.logFile === undefined ? {} : { logFile: options.logFile }),
      stopSignals: ['SIGTERM'],
      graceMs: 10_000,
    },
    print,
  );
  await untilHealthy(`http://127.0.0.1:${options.port}`, worker);
  started = true;
  return { exited: worker.exited, stop: () => worker.stop() };
}
