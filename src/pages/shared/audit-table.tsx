import type { components } from './api-types.ts';
import { formatMoment } from './format.ts';
import { RecordTable, type Column } from './record-table.tsx';

type AuditEntry = components['schemas']['AuditEntry'];
type NamedKey = Pick<components['schemas']['Key'], 'id' | 'name'>;

const ACTORS: Readonly<Record<AuditEntry['actor'], string>> = {
  key: 'a key of the account',
  global: 'a global key',
  admin: 'the operator',
  command: 'the operator, by command',
};

/** Ids that are shown of the records that one request has changed. */
const SHOWN_IDS = 4;

function changedText({ resourceIds }: AuditEntry): string {
  const more = resourceIds.length - SHOWN_IDS;
  return `${resourceIds.slice(0, SHOWN_IDS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function auditColumns(keys: readonly NamedKey[]): readonly Column<AuditEntry>[] {
  const keyName = (id: string) => keys.find((key) => key.id === id)?.name ?? id;
  return [
    ['When', ({ createdAt }) => formatMoment(createdAt)],
    ['Who', ({ actor, keyId }) => (keyId === null ? ACTORS[actor] : `the key ${keyName(keyId)}`), 'wrap'],
    ['From', ({ address }) => address],
    ['What', ({ method, route }) => `${method} ${route}`, 'wrap'],
    ['Reply', ({ statusCode }) => statusCode],
    ['Changed', changedText, 'wrap'],
  ];
}

/** Who changed what. @param keys The keys whose names are shown. */
export function AuditTable(props: { readonly entries: readonly AuditEntry[]; readonly keys: readonly NamedKey[] }) {
  return (
    <RecordTable
      label="Changes"
      items={props.entries}
      idOf={({ id }) => id}
      columns={auditColumns(props.keys)}
      empty="Nothing was changed."
    />
  );
}
