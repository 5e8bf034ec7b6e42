import { z } from 'zod';
import { relayerOf } from '../../accounts/account.ts';
import type { Holding } from '../../chains/token-transfer.ts';
import {
  acceptHolderRequest,
  signedFields,
  type AcceptedOrder,
  type HolderDraft,
  type HolderOrders,
} from '../../relay/accept-holder-request.ts';
import { draftHolding, holdingFields } from '../../relay/draft-holding.ts';
import { prepareHolderRequest } from '../../relay/prepare-holder-request.ts';
import { preparationFields, type preparedRequestSchema } from '../../relay/prepare-request.ts';
import type { RelayRecords } from '../../relay/relay-records.store.ts';
import type { TenantServices } from '../../services.ts';
import { findEarlier } from '../find-earlier.ts';
import { insertSigned, selectSigned } from '../signed-orders.store.ts';
import { encodeBurn } from './burn-call.ts';
import { burnKind, type BurnOrder } from './burn-kind.ts';
import { burnOrders } from '../order-forms.ts';

/** Resolves a burn from the account's records, with every issue. */
function draftBurn(
  services: TenantServices,
  input: Parameters<typeof draftHolding>[1],
  records: RelayRecords,
): HolderDraft<Holding> {
  const { issues, holding, contract } = draftHolding(services, input, records);
  const blocked = { path: 'contractAddress', message: 'was deployed so that holders cannot burn its certificates' };
  return {
    issues: contract?.isBurnBlocked === true ? [blocked, ...issues] : issues,
    draft: holding,
    call: holding && encodeBurn(holding),
  };
}

/** POST /burn/prepare. */
export const burnPreparationInput = z
  .strictObject({ ...holdingFields, ...preparationFields })
  .meta({ id: 'PrepareBurn' });

/** The typed data of a burn, for its holder to sign; see {@link prepareHolderRequest}. */
export async function prepareBurn(
  services: TenantServices,
  input: z.output<typeof burnPreparationInput>,
): Promise<z.output<typeof preparedRequestSchema>> {
  return await prepareHolderRequest(services, input, (records) => draftBurn(services, input, records));
}

export const burnInput = z.strictObject({ ...holdingFields, ...signedFields }).meta({ id: 'ExecuteBurn' });

type BurnInput = z.output<typeof burnInput>;

const burns: HolderOrders<Holding, BurnOrder, BurnInput> = {
  kind: burnKind,
  form: burnOrders,
  encode: encodeBurn,
  findEarlier: (services, id) => findEarlier(services, burnOrders, [burnKind], id, relayerOf(services.account)),
  find: (db, signature) => selectSigned(db, burnOrders, [burnKind], signature),
  insert: (db, walletAddress, order, request) => insertSigned(db, burnOrders, burnKind, walletAddress, order, request),
};

/** Accepts a burn that its holder signed; see {@link acceptHolderRequest}. */
export async function acceptBurn(services: TenantServices, input: BurnInput): Promise<AcceptedOrder<BurnOrder>> {
  return await acceptHolderRequest(services, burns, input, (records) => draftBurn(services, input, records));
}
