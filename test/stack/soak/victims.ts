import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** All processes of this machine; Linux only. */
function processes(): ProcessEntry[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      try {
        const [, parent = '0'] = readFileSync(`/proc/${entry}/stat`, 'utf8')
          .replace(/^.*\) . /, 'x ')
          .split(' ');
        const command = readFileSync(`/proc/${entry}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return [{ pid: Number(entry), parent: Number(parent), command }];
      } catch {
        // It has exited.
        return [];
      }
    });
}

/** The Workers runtimes of the stack on a data directory: descendants of its wrangler. */
export function runtimePids(dataDir: string): number[] {
  const all = processes();
  const found = new Set(
    all.filter(({ command }) => command.includes('wrangler') && command.includes(dataDir)).map(({ pid }) => pid),
  );
  for (let count = -1; count !== found.size;) {
    count = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return all.filter(({ pid, command }) => found.has(pid) && command.includes('workerd serve')).map(({ pid }) => pid);
}

/** The database server of the stack on a data directory. */
export function databasePid(dataDir: string): number {
  return Number(readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0]);
}

/** The file in which a node of the stack stores its chain. */
export function chainFile(dataDir: string, chainId: string): string {
  return join(dataDir, 'chains', `${chainId}.json`);
}

/** A node of the stack on a data directory. */
export function nodePid(dataDir: string, chainId: string): number | undefined {
  const file = chainFile(dataDir, chainId);
  return processes().find(({ command }) => command.includes('anvil') && command.includes(`--state ${file}`))?.pid;
}
