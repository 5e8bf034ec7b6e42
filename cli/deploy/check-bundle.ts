import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { typedCommand } from './deployment.ts';
import { type Finding, missing } from './finding.ts';
import { errorOf, runWrangler } from './run-wrangler.ts';

/** The limit of Cloudflare's paid plan on a compressed Worker, in bytes. */
const MAX_BYTES = 10_000_000;

export interface Bundle {
  readonly findings: readonly Finding[];
  /** The compressed size in bytes; undefined if it could not be built. */
  readonly bytes: number | undefined;
}

/** Builds a Worker as a deployment does, without uploading it. @param worker Its name for messages. */
export async function checkBundle(
  worker: string,
  wranglerOptions: readonly string[],
  maxBytes = MAX_BYTES,
): Promise<Bundle> {
  const directory = await mkdtemp(join(tmpdir(), 'bundle-'));
  const command = typedCommand('deploy', '--dry-run', ...wranglerOptions);
  try {
    const built = await runWrangler(['deploy', '--dry-run', '--outdir', directory, ...wranglerOptions]);
    if (!built.succeeded) {
      return { findings: [missing(`The ${worker} cannot be built: ${errorOf(built)}`, command)], bytes: undefined };
    }
    const names = (await readdir(directory)).filter((name) => /\.(js|mjs|wasm)$/.test(name));
    const files = await Promise.all(names.map((name) => readFile(join(directory, name))));
    const bytes = gzipSync(Buffer.concat(files)).length;
    const issue = `The ${worker} has ${bytes} bytes compressed; the limit is ${maxBytes}`;
    return { findings: bytes > maxBytes ? [missing(issue, `${command} --metafile`)] : [], bytes };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
