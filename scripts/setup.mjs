// Installs the locked dependencies if they are missing or out of date. It is plain JavaScript with Node's own modules, since it runs on a
// fresh clone before anything is installed. It writes to stderr only: stdout belongs to the command that follows.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const lock = `${root}package-lock.json`;
const installedLock = `${root}node_modules/.installed-lock.json`;

const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 20) {
  console.error(`Node.js 20 or newer is required; this is ${process.versions.node}.`);
  process.exit(1);
}

const upToDate = existsSync(installedLock) && readFileSync(installedLock).equals(readFileSync(lock));
if (!upToDate) {
  console.error('Installing the locked dependencies (once; about a minute) ...');
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    console.error('npm ci failed; see the message above.');
    process.exit(1);
  }
  copyFileSync(lock, installedLock);
}
