import { encodeDeployData, zeroAddress, type Address, type Hex } from 'viem';
import { certificate1155 } from '../../../contracts/artifacts/Certificate1155.ts';
import { certificate721 } from '../../../contracts/artifacts/Certificate721.ts';
import { minimalForwarder } from '../../../contracts/artifacts/MinimalForwarder.ts';
import { standard1155 } from '../../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../../contracts/artifacts/Standard721.ts';
import { BURN_AUTHS, type BurnAuth, type contracts } from '../../platform/database/schema.ts';

/** The constructor arguments that all token contracts share. */
export interface TokenContract {
  readonly name: string;
  readonly symbol: string;
  readonly owner: Address;
  /** The ERC-2771 forwarder that it trusts; null for none. */
  readonly trustedForwarder: Address | null;
  /** Empty for none. That of a certificate contract never changes. */
  readonly baseUri: string;
}

/** A contract to deploy; `kind` selects the source. */
export type Deployable =
  | { readonly kind: 'Forwarder' }
  | ({
      readonly kind: 'certificate';
      readonly ercStandard: '721' | '1155';
      readonly burnAuth: BurnAuth;
    } & TokenContract)
  | ({
      readonly kind: 'standard';
      readonly ercStandard: '721' | '1155';
      readonly royaltyReceiver: Address;
      readonly royaltyFeeBps: number;
    } & TokenContract);

/** What of a contract's record its creation code depends on. `currentOwnerAddress` can change afterwards. */
export type ContractRecord = Pick<
  typeof contracts.$inferSelect,
  | 'name'
  | 'symbol'
  | 'ercStandard'
  | 'contractType'
  | 'currentOwnerAddress'
  | 'trustedForwarder'
  | 'metadataBaseUri'
  | 'burnAuth'
  | 'royaltyReceiver'
  | 'royaltyFeeBps'
>;

/** The contract that a record describes. */
export function deployableOf(contract: ContractRecord): Deployable {
  const { ercStandard, contractType } = contract;
  if (ercStandard === 'Forwarder') return { kind: 'Forwarder' };
  const token = {
    ercStandard,
    name: contract.name ?? '',
    symbol: contract.symbol ?? '',
    owner: contract.currentOwnerAddress ?? zeroAddress,
    trustedForwarder: contract.trustedForwarder,
    baseUri: contract.metadataBaseUri ?? '',
  };
  if (contractType === 'certificate') return { kind: 'certificate', ...token, burnAuth: contract.burnAuth ?? 'holder' };
  return {
    kind: 'standard',
    ...token,
    royaltyReceiver: contract.royaltyReceiver ?? zeroAddress,
    royaltyFeeBps: contract.royaltyFeeBps ?? 0,
  };
}

/** The creation code: bytecode and constructor arguments. */
export function creationCode(contract: Deployable): Hex {
  if (contract.kind === 'Forwarder') return encodeDeployData({ ...minimalForwarder, args: [] });
  const { name, symbol, owner, baseUri } = contract;
  const forwarder = contract.trustedForwarder ?? zeroAddress;
  if (contract.kind === 'certificate') {
    const args = [name, symbol, owner, forwarder, baseUri, BURN_AUTHS.indexOf(contract.burnAuth)] as const;
    return contract.ercStandard === '721'
      ? encodeDeployData({ ...certificate721, args })
      : encodeDeployData({ ...certificate1155, args });
  }
  const { royaltyReceiver, royaltyFeeBps } = contract;
  const args = [name, symbol, owner, forwarder, baseUri, royaltyReceiver, BigInt(royaltyFeeBps)] as const;
  return contract.ercStandard === '721'
    ? encodeDeployData({ ...standard721, args })
    : encodeDeployData({ ...standard1155, args });
}
