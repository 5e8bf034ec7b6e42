import type { Hex } from 'viem';
import { z } from 'zod';
import { type Chain } from '../../chains/client.ts';
import { DomainError, invalidInput, type InputIssue } from '../../core/domain-error.ts';
import { addressField } from '../../core/fields.ts';
import { addressReply } from '../../core/reply-fields.ts';
import { deadlineField, withDeadline, deadlineIssues } from '../../relay/deadline.ts';
import {
  forwarderAddressField,
  forwarderNonceField,
  gasLimitField,
  privateKeyField,
} from '../../relay/forward-fields.ts';
import {
  choosePreparation,
  preparationFields,
  prepareRequest,
  type preparedRequestSchema,
} from '../../relay/prepare-request.ts';
import { readRelayRecords, relayRecords, selectRelayRecords } from '../../relay/relay-records.store.ts';
import { signatureReplyFields, signRequest, signerIssues } from '../../relay/sign-request.ts';
import { runBatch } from '../../platform/database/client.ts';
import type { TenantServices } from '../../services.ts';
import {
  findConflict,
  drafting,
  mintFields,
  type NamedInput,
  type OrderDraft,
  type OrderInput,
} from './draft-orders.ts';
import { encodeMint } from './mint-call.ts';
import type { MintRecords } from './minting-orders.store.ts';

/** The fields of a mint that its contract's owner signs. */
const ownerMintFields = {
  ...mintFields,
  amount: mintFields.amount.meta({
    description: 'Number of tokens. ERC-721: absent or 1. ERC-1155: default 1',
    example: 1,
  }),
  from: addressField.meta({ description: "Signer; must be the contract's owner, or the mint fails" }),
};

/** The fields of a mint that its contract's owner signs. */
export const relayFields = {
  ...ownerMintFields,
  forwarderNonce: forwarderNonceField.optional(),
  forwarderAddress: forwarderAddressField.optional(),
  gasLimit: gasLimitField,
  deadline: deadlineField,
};

/** A draft and its call. */
export interface RelayDraft {
  readonly draft: OrderDraft;
  readonly call: Hex;
}

/**
 * What the fields of a mint say: its draft, or their issues, which are reported together with those of the signed
 * request.
 */
interface RelayDrafts {
  readonly issues: readonly InputIssue[];
  readonly relay: RelayDraft | undefined;
}

/**
 * Validates the fields of an order as POST /minting/order does, and encodes its call.
 * @throws {DomainError} for any reason why the order cannot exist but the issues of its fields.
 */
async function draftRelay(services: TenantServices, input: OrderInput): Promise<RelayDrafts> {
  const { statement, draft } = draftingRelay(services, { ...input, id: services.newId() });
  return await draft(await statement);
}

/** The same in two steps, as {@link drafting}. */
export function draftingRelay(services: TenantServices, input: NamedInput) {
  const { statement, draft } = drafting(services, [{ ...input, amount: input.amount ?? 1 }]);
  return { statement, draft: async (found: readonly MintRecords[]) => relayOf(await draft(found)) };
}

function relayOf([draft]: readonly (OrderDraft | DomainError)[]): RelayDrafts {
  if (draft === undefined) throw new Error('An order had no draft');
  if (!(draft instanceof DomainError)) return { issues: [], relay: { draft, call: encodeMint(draft.order) } };
  if (draft.kind === 'invalid' && draft.issues !== undefined) return { issues: draft.issues, relay: undefined };
  throw draft;
}

/**
 * The chain of a mint.
 * @param others What else is wrong with the request, as far as that can be told without the chain.
 * @throws {DomainError} `invalid`, with the others and the issues of the order too, when the chain is not allowed.
 */
export async function chainOfMint(
  services: TenantServices,
  input: OrderInput,
  others: () => readonly InputIssue[],
): Promise<Chain> {
  const chain = services.chains.get(input.chainId);
  if (chain !== undefined) return chain;
  const { issues } = await draftRelay(services, input);
  throw invalidInput([...issues, ...others()]);
}

/** POST /minting/prepare. */
export const mintPreparationInput = z
  .strictObject({ ...ownerMintFields, ...preparationFields })
  .meta({ id: 'PrepareMint' });

/**
 * The typed data of a mint, for the contract's owner to sign. Apart from the account's limits, what POST /minting/relay
 * would refuse now is refused here already, and a signer who may not mint as well.
 * @throws {DomainError} as POST /minting/order does; `invalid` with every issue, or with the contract's error if the
 *   mint would revert; `upstream` if the chain does not answer.
 */
export async function prepareMint(
  services: TenantServices,
  input: z.output<typeof mintPreparationInput>,
): Promise<z.output<typeof preparedRequestSchema>> {
  const chain = await chainOfMint(services, input, () => deadlineIssues(input.deadline, services.clock.now()));
  const { db } = services;
  const { statement, draft } = draftingRelay(services, { ...input, id: services.newId() });
  const { relayed, found } = await runBatch(db, { relayed: selectRelayRecords(db, input), found: statement });
  const { issues: draftIssues, relay } = await draft(found);
  const records = relayRecords(relayed);
  const [conflict, { issues, preparation }] = await Promise.all([
    relay && findConflict(services, relay.draft),
    choosePreparation(services, chain, input, records),
  ]);
  if (relay === undefined || preparation === undefined) throw invalidInput([...draftIssues, ...issues]);
  if (conflict !== undefined) throw conflict;
  return await prepareRequest(services, chain, input, preparation, relay.call);
}

/** Specification, POST /minting/signature. */
export const mintSignatureInput = z
  .strictObject({ ...relayFields, privateKey: privateKeyField.optional() })
  .meta({ id: 'SignMint' });

export const mintSignatureSchema = z
  .object({
    ...signatureReplyFields,
    forwarderAddress: addressReply.meta({ description: 'The forwarder, for POST /minting/relay' }),
  })
  .meta({ id: 'MintSignature' });

/**
 * Signs a mint for tests, in the form that POST /minting/relay accepts.
 * @throws {DomainError} as POST /minting/order does, except for occupancy; `invalid` with every issue of the signed
 *   request.
 */
export async function createMintSignature(
  services: TenantServices,
  input: z.output<typeof mintSignatureInput>,
): Promise<z.infer<typeof mintSignatureSchema>> {
  const chain = await chainOfMint(services, input, () => signerIssues(services, input));
  const { issues, relay } = await draftRelay(services, input);
  if (relay === undefined) throw invalidInput(issues);
  const records = await readRelayRecords(services.db, input);
  return await signRequest(services, chain, input, withDeadline(relay.call, input.deadline), records);
}
