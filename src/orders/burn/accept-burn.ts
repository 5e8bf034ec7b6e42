import { z } from 'zod';
import { acceptHolderRequest, signedFields } from '../../relay/accept-holder-request.ts';
import type { AcceptedOrder, HolderOrders } from '../../relay/accept-holder-request.ts';
import { holdingFields } from '../../relay/draft-holding.ts';
import type { Holding } from '../../chains/token-transfer.ts';
import type { TenantServices } from '../../services.ts';
import { encodeBurn } from './burn-call.ts';
import { burnKind } from './burn-kind.ts';
import { ID_TAKEN, findSignedBurn, insertBurn } from './burns.store.ts';
import type { BurnOrder } from './burns.store.ts';
import { draftBurn } from './draft-burn.ts';

/** POST /burn/execute. */
export const burnInput = z.strictObject({ ...holdingFields, ...signedFields }).meta({ id: 'ExecuteBurn' });

type BurnInput = z.output<typeof burnInput>;

const burns: HolderOrders<Holding, BurnOrder, BurnInput> = {
  kind: burnKind,
  idTaken: ID_TAKEN,
  encode: encodeBurn,
  find: findSignedBurn,
  insert: (db, walletAddress, order, request) => insertBurn(db, burnKind, walletAddress, order, request),
};

/** Accepts a burn that its holder signed; see {@link acceptHolderRequest}. */
export async function acceptBurn(services: TenantServices, input: BurnInput): Promise<AcceptedOrder<BurnOrder>> {
  return await acceptHolderRequest(services, burns, input, () => draftBurn(services, input));
}
