import { z } from 'zod';
import { notFound } from '../core/domain-error.ts';
import { instantField, recordIdField, textField } from '../core/fields.ts';
import { pageFields, pageOf, pageRange, pageSchema, type Page } from '../core/paging.ts';
import { listKeys } from '../keys/manage-keys.ts';
import { keyReplySchema } from '../keys/key-reply.ts';
import type { Services } from '../services.ts';
import { endpointReplySchema } from '../webhooks/endpoint-reply.ts';
import { listEndpoints } from '../webhooks/read-endpoints.ts';
import { listAccounts as selectAccounts, readAccount, type ListedAccount } from './accounts-list.store.ts';
import { confirmedIssuerReply, issuerReply } from './confirm-issuer.ts';
import { getLimits, limitsSchema } from '../limits/limits.ts';
import { asAccount, type OperatorRequest } from './order-story.ts';

const INSTANT = '2026-11-02T09:30:00.000Z';

export const accountListQuery = z.object({
  ...pageFields,
  text: textField(100).optional().meta({
    description: 'Only with this text in its name or corporateId, in any letter case, or with this wallet',
    example: 'watch',
  }),
});

const accountSchema = z
  .object({
    id: recordIdField.meta({ description: 'Id of the account' }),
    corporateId: z.string().meta({ description: 'The name that requests give', example: 'demo' }),
    name: z.string().meta({ description: 'The name for people', example: 'Demo' }),
    status: z.string().meta({ description: 'Unless it is ACTIVE, its requests are rejected', example: 'ACTIVE' }),
    walletAddress: z.string().meta({ description: 'EIP-55', example: '0x8ba1f109551bD432803012645Ac136ddd64DBA72' }),
    pausedAt: instantField.nullable().meta({ description: 'Paused since, UTC; null if it is not', example: INSTANT }),
    hasLimits: z.boolean().meta({ description: 'Whether the operator has set limits' }),
    keys: z.int().meta({ description: 'Keys that are not revoked', example: 2 }),
    issuer: confirmedIssuerReply
      .nullable()
      .meta({ description: 'Its confirmed public identity; null if not confirmed' }),
    createdAt: instantField.meta({ description: 'When it was created, UTC', example: INSTANT }),
  })
  .meta({ id: 'AccountSummary' });

export const accountListSchema = pageSchema(accountSchema).meta({ id: 'AccountList' });

export const accountDetailSchema = accountSchema
  .extend({
    limits: limitsSchema,
    keyList: z.array(keyReplySchema).meta({ description: 'Keys that are not revoked, newest first, at most 50' }),
    endpoints: z.array(endpointReplySchema).meta({ description: 'Webhook endpoints, oldest first' }),
  })
  .meta({ id: 'AccountDetail' });

/** A page of all accounts, newest first. */
export async function listAccounts(
  { db }: Services,
  query: z.output<typeof accountListQuery>,
): Promise<Page<z.output<typeof accountSchema>>> {
  const range = pageRange(query);
  const { rows, searchedTo } = await selectAccounts(db, range, query.text);
  return pageOf(rows, range, accountReply, searchedTo);
}

/** An account with its limits, keys and endpoints. @throws {DomainError} `not-found`. */
export async function accountDetail(
  services: Services,
  request: OperatorRequest,
  corporateId: string,
): Promise<z.output<typeof accountDetailSchema>> {
  const account = await readAccount(services.db, corporateId);
  if (account === undefined) throw notFound('Account');
  const tenant = await asAccount(services, request, corporateId);
  const [limits, keys, endpoints] = await Promise.all([getLimits(tenant), listKeys(tenant, {}), listEndpoints(tenant)]);
  return { ...accountReply(account), limits, keyList: keys.items, endpoints };
}

function accountReply(row: ListedAccount): z.output<typeof accountSchema> {
  const { issuerName, issuerLogoUrl, issuerDomain, issuerConfirmedAt, issuerPublishesDid, ...account } = row;
  return {
    ...account,
    issuer: issuerReply({ issuerName, issuerLogoUrl, issuerDomain, issuerConfirmedAt, issuerPublishesDid }),
    pausedAt: account.pausedAt?.toISOString() ?? null,
    createdAt: account.createdAt.toISOString(),
  };
}
