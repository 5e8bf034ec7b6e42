import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startPostgres, type Postgres } from '../../stack/postgres/postgres.ts';
import { applyMigrations } from './apply-migrations.ts';
import { grantWorkerRole } from './grant-worker-role.ts';

let directory: string;
let postgres: Postgres;
let owner: Client;
let worker: Client;

async function connect(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  await client.connect();
  return client;
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'worker-role-'));
  postgres = await startPostgres({ directory, password: 'password' });
  await applyMigrations(postgres.url);
  await grantWorkerRole(postgres.url, postgres.workerRole);
  [owner, worker] = await Promise.all([connect(postgres.url), connect(postgres.workerUrl)]);
  await owner.query('create role updater; grant update on audit_log to updater');
});
afterAll(async () => {
  await Promise.all([owner.end(), worker.end()]);
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
});

let added = 0;
const add = (client: Client) => {
  added += 1;
  return client.query(
    "insert into audit_log (id, actor, method, route, resource_ids, created_at) values ($1, 'key', 'POST', '/keys', '{}', now())",
    [String(added)],
  );
};
const rows = async () => (await worker.query('select * from audit_log order by id')).rows;

const CHANGES = [
  'update audit_log set status_code = 200',
  'update audit_log set status_code = 200 where false',
  'delete from audit_log',
  'truncate audit_log',
  "insert into audit_log select * from audit_log on conflict (id) do update set actor = 'admin'",
];

it.each(CHANGES)("the Worker's role, which adds to the audit log, cannot change it: %s", async (statement) => {
  await add(worker);
  const before = await rows();
  expect(before.length).toBe(added);
  await expect(worker.query(statement)).rejects.toMatchObject({
    code: '42501',
    message: 'permission denied for table audit_log',
  });
  expect(await rows()).toEqual(before);
});

it.each([
  'drop table audit_log',
  'drop trigger audit_log_append_only on audit_log',
  'alter table audit_log disable trigger all',
  'alter table audit_log add column note text',
  "create or replace function audit_log_is_append_only() returns trigger language plpgsql as 'begin return null; end'",
  'set session_replication_role = replica',
  'create trigger more after insert on audit_log execute function audit_log_is_append_only()',
])("the Worker's role cannot remove that protection: %s", async (statement) => {
  await expect(worker.query(statement)).rejects.toMatchObject({ code: '42501' });
});

it.each(CHANGES)('a role with every right on the table cannot change the audit log either: %s', async (statement) => {
  await add(owner);
  const before = await rows();
  await expect(owner.query(statement)).rejects.toMatchObject({ code: '42501', message: 'audit_log is append-only' });
  expect(await rows()).toEqual(before);
});

const RIGHTS: Readonly<Record<string, string>> = { audit_log: 'INSERT SELECT', fence: 'SELECT' };

it("the Worker's role reads and writes every other table, and only reads the epoch", async () => {
  const { rows: granted } = await owner.query(
    `select table_name as name, string_agg(privilege_type, ' ' order by privilege_type) as rights
     from information_schema.role_table_grants where grantee = $1 and table_schema = 'public' group by 1`,
    [postgres.workerRole],
  );
  const { rows: tables } = await owner.query(`select tablename as name from pg_tables where schemaname = 'public'`);
  expect(granted.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual(
    tables
      .map(({ name }) => ({ name, rights: RIGHTS[String(name)] ?? 'DELETE INSERT SELECT UPDATE' }))
      .toSorted((a, b) => a.name.localeCompare(b.name)),
  );
});

it('takes back rights that the role was given before', async () => {
  await owner.query(`grant all on audit_log to ${postgres.workerRole}`);
  await grantWorkerRole(postgres.url, postgres.workerRole);
  await expect(worker.query('delete from audit_log')).rejects.toMatchObject({
    message: 'permission denied for table audit_log',
  });
});

it.each([
  ['is a superuser', 'create role boundless superuser'],
  ['is a member of the owner', 'create role boundless in role nft'],
  ['inherits the right to change it', 'create role boundless in role updater'],
  ['has the right because everyone has', 'create role boundless; grant delete on audit_log to public'],
])('refuses a role that %s, and gives it nothing', async (_, create) => {
  await owner.query(create);
  await expect(grantWorkerRole(postgres.url, 'boundless')).rejects.toThrow('The role boundless can change audit_log');
  const { rowCount } = await owner.query(
    "select from information_schema.role_table_grants where grantee = 'boundless'",
  );
  expect(rowCount).toBe(0);
  await owner.query('revoke all on audit_log from public; drop role boundless');
});

it('refuses a role that does not exist', async () => {
  await expect(grantWorkerRole(postgres.url, 'nobody"; select 1; --')).rejects.toThrow('does not exist');
});
