import { spawnSync } from 'node:child_process';
import type { KeptCommand } from './keeper-protocol.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';

type Program = Pick<KeptCommand, 'command' | 'args' | 'uid' | 'gid'>;

/** As whom PostgreSQL runs. */
export interface PostgresUser {
  /** Who owns the data; undefined when it is the user that we are. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
  /** How a program of PostgreSQL is started as that user. */
  program(command: string, args: string[]): Program;
}

function numericId(flag: '-u' | '-g', user: string): number | undefined {
  const { status, stdout } = spawnSync('id', [flag, user], { encoding: 'utf8' });
  return status === 0 ? Number(stdout) : undefined;
}

/** Whether this user can enter the directory and run PostgreSQL's programs, when they are started so. */
function canRun({ command, args, uid, gid }: Program): boolean {
  const identity = { ...(uid === undefined ? {} : { uid }), ...(gid === undefined ? {} : { gid }) };
  return spawnSync(command, args, { ...identity, cwd: '/', stdio: 'ignore' }).status === 0;
}

/**
 * PostgreSQL refuses to run as root. Then it runs as the user `postgres` where there is one, else as `nobody`; no user is
 * made. Where that user may not enter the project's directory (a checkout below /root, or in a directory of `mktemp -d`), it is given
 * the one capability that lets it, as long as the program runs.
 * @param directory exists, and the data will be in it.
 * @throws when root has no way to run it, with the reason.
 */
export function postgresUser(binaries: PostgresBinaries, directory: string): PostgresUser {
  if (process.getuid?.() !== 0) return { owner: undefined, program: (command, args) => ({ command, args }) };
  for (const name of ['postgres', 'nobody']) {
    const uid = numericId('-u', name);
    const gid = numericId('-g', name);
    if (uid === undefined || gid === undefined) continue;
    const probe = [
      '-c',
      'cd "$1" && "$2" --version && "$3" --version',
      'sh',
      directory,
      binaries.initdb,
      binaries.postgres,
    ];

    const plain = (command: string, args: string[]) => ({ command, args, uid, gid });
    if (canRun(plain('/bin/sh', probe))) return { owner: { uid, gid }, program: plain };

    const identity = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
    const capability = ['--inh-caps=-all,+dac_override', '--ambient-caps=-all,+dac_override'];
    const capable = (command: string, args: string[]) => ({
      command: 'setpriv',
      args: [...identity, ...capability, '--', command, ...args],
    });
    if (canRun(capable('/bin/sh', probe))) return { owner: { uid, gid }, program: capable };
  }
  throw new Error(
    `PostgreSQL does not run as root, and neither the user postgres nor the user nobody may enter ${directory} and run ${binaries.postgres}. Start this as an ordinary user, or move the project to a directory that others may enter.`,
  );
}
