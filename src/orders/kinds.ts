import { bundleKind } from '../engine/bundle-kind.ts';
import type { OrderKinds } from '../engine/order-kind.ts';
import type { AnyServiceKind } from './define-order.ts';
import { baseUriKind } from './base-uri/base-uri-kind.ts';
import { baseUriRoutes } from './base-uri/routes.ts';
import { burnKind } from './burn/burn-kind.ts';
import { burnRoutes } from './burn/routes.ts';
import { claimRoutes } from './mint/claims/routes.ts';
import { cancelRoutes } from './cancel-routes.ts';
import { certificateRevocationKind } from './certificate-revocation/certificate-revocation-kind.ts';
import { certificateRevocationRoutes } from './certificate-revocation/routes.ts';
import { deployKind } from './deploy/deploy-kind.ts';
import { deployRoutes } from './deploy/routes.ts';
import { mintKind } from './mint/mint-kind.ts';
import { relayMintKind } from './mint/relay-mint-kind.ts';
import { mintingRoutes } from './mint/routes.ts';
import { notificationKind } from './notification/notification-kind.ts';
import { notificationRoutes } from './notification/routes.ts';
import { ownershipTransferKind } from './ownership/ownership-transfer-kind.ts';
import { ownershipRoutes } from './ownership/routes.ts';
import { reissueRoutes } from './reissue/routes.ts';
import { revocationKind } from './transfer/revocation-kind.ts';
import { transferRoutes } from './transfer/routes.ts';
import { transferKind } from './transfer/transfer-kind.ts';

const kinds: readonly AnyServiceKind[] = [
  mintKind,
  relayMintKind,
  transferKind,
  revocationKind,
  burnKind,
  certificateRevocationKind,
  ownershipTransferKind,
  notificationKind,
  baseUriKind,
  deployKind,
  bundleKind,
];

/** The registry of order kinds. The lanes, the cleanup job, GET /status and the API document derive from it. */
export const orderKinds: OrderKinds = new Map(kinds.map((kind) => [kind.name, kind]));
if (orderKinds.size < kinds.length) throw new Error('Two kinds of orders have the same name');

/** The routes of all kinds. */
export const orderRoutes = [
  deployRoutes,
  ownershipRoutes,
  notificationRoutes,
  baseUriRoutes,
  mintingRoutes,
  claimRoutes,
  transferRoutes,
  burnRoutes,
  certificateRevocationRoutes,
  reissueRoutes,
  cancelRoutes(orderKinds),
];
