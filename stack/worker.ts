import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { type SupervisedProcess, startSupervised } from './processes/supervised-process.ts';
import { freePort } from './ports.ts';
import { writePrivateFile } from '../cli/local-stack/private-file.ts';
import { writeWorkerConfig } from './worker-config.ts';
import { WRANGLER, wranglerEnvironment } from '../cli/local-stack/wrangler.ts';

/** The Worker, running in `wrangler dev`. */
export interface LocalWorker {
  /** Resolves when it has exited for any reason, with how. */
  readonly exited: Promise<string>;
  /** The port on 127.0.0.1 where the Worker serves the Chrome DevTools Protocol. */
  readonly inspectorPort: number;
  stop(): Promise<void>;
}

export interface WorkerOptions {
  /** Where Durable Objects, caches, settings and logs are stored. */
  readonly dataDir: string;
  readonly port: number;
  /** The Worker's environment, in addition to wrangler.toml. */
  readonly settings: Readonly<Record<string, string>>;
  /** Its wrangler.toml; default: the service's. */
  readonly configFile?: string;
  /**
   * The file for its output, which is emptied first. By default the output goes to stdout once the Worker is healthy.
   */
  readonly logFile?: string;
}

const PROJECT = fileURLToPath(new URL('..', import.meta.url));
const STARTUP_MS = 90_000;

/** In dotenv syntax: values in single quotes are literal. */
function envFile(settings: Readonly<Record<string, string>>): string {
  const lines = Object.entries(settings).map(([name, value]) => {
    if (/['\n\r]/.test(value)) throw new Error(`The setting ${name} must not have a quote or a line break`);
    return `${name}='${value}'`;
  });
  return `${lines.join('\n')}\n`;
}

/** Wrangler's own output at start, reload and request, as opposed to the Worker's log and errors. */
const WRANGLER_OUTPUT =
  /^(?:\[wrangler:info\]|⎔|🪵|Your Worker has access|Binding |env\.|Using secrets|\s*$)|scheduled event|local\/scheduled|Scheduled Workers|cron-triggers/;

function workerLine(line: string): string | undefined {
  const text = stripVTControlCharacters(line);
  return WRANGLER_OUTPUT.test(text) ? undefined : text;
}

const lastOutput = (worker: SupervisedProcess) =>
  worker
    .lastLines()
    .split('\n')
    .flatMap((line) => workerLine(line) ?? [])
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

async function waitUntilHealthy(baseUrl: string, worker: SupervisedProcess): Promise<void> {
  const deadline = Date.now() + STARTUP_MS;
  let exited: string | undefined;
  void worker.exited.then((how) => (exited = how));
  while (Date.now() < deadline) {
    if (exited !== undefined) throw new Error(`wrangler exited (${exited}).\n${lastOutput(worker)}`);
    // Wrangler would wait for the sources to change.
    if (/Build failed with/.test(worker.lastLines())) {
      await worker.stop();
      throw new Error(`The Worker does not build.\n${lastOutput(worker)}`);
    }
    if (await isHealthy(baseUrl)) return;
    await delay(100);
  }
  await worker.stop();
  throw new Error(`${baseUrl}/health did not return 200 within ${STARTUP_MS / 1_000} seconds.\n${lastOutput(worker)}`);
}

/**
 * Runs the Worker with `wrangler dev` on 127.0.0.1 and resolves when `/health` returns 200. It stops when this process
 * ends.
 * @throws when wrangler exits or the Worker does not become healthy, with wrangler's last output.
 */
export async function startWorker(options: WorkerOptions): Promise<LocalWorker> {
  const directory = join(options.dataDir, 'worker');
  mkdirSync(directory, { recursive: true });
  const settingsFile = join(directory, 'settings.env');
  writePrivateFile(settingsFile, envFile(options.settings));
  const configFile = options.configFile ?? writeWorkerConfig(directory);
  if (options.logFile !== undefined) writePrivateFile(options.logFile, '');
  // What wrangler says when it stops is of no use: its compiler may complain that nobody talks to it any more.
  let isRunning = false;
  const print = (line: string) => {
    const text = workerLine(line);
    if (isRunning && text !== undefined) console.log(text);
  };
  const inspectorPort = await freePort();
  const worker = await startSupervised(
    {
      name: 'wrangler',
      command: process.execPath,
      args: [
        WRANGLER,
        'dev',
        `--config=${configFile}`,
        `--env-file=${settingsFile}`,
        `--persist-to=${join(directory, 'state')}`,
        '--ip=127.0.0.1',
        `--port=${options.port}`,
        `--inspector-port=${inspectorPort}`,
        '--show-interactive-dev-session=false',
      ],
      cwd: PROJECT,
      env: wranglerEnvironment(directory),
      ...(options.logFile === undefined ? {} : { logFile: options.logFile }),
      stopSignals: ['SIGTERM'],
      graceMs: 10_000,
    },
    print,
  );
  await waitUntilHealthy(`http://127.0.0.1:${options.port}`, worker);
  isRunning = true;
  return {
    exited: worker.exited,
    inspectorPort,
    stop: () => {
      isRunning = false;
      return worker.stop();
    },
  };
}
