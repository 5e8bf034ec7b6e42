import { useState } from 'preact/hooks';
import { Fields } from '../shared/fields.tsx';
import { Age, Hex, Panel } from '../shared/parts.tsx';
import { Pager } from '../shared/pager.tsx';
import { useLive } from '../shared/use-live.ts';
import { HashPager } from '../shared/hash-pager.tsx';
import { CollectionPanel } from './collection-panel.tsx';
import { ORDER_KINDS } from '../shared/order-kinds.ts';
import { AddressHex, ContractHex, OrderReason, OrderState } from './order-parts.tsx';
import { orderOf, type Order } from './order.ts';
import { RecordTable, type Column } from '../shared/record-table.tsx';
import { shortText } from '../shared/short-text.ts';
import type { Contract, Holding, List, Metadata } from './replies.ts';
import { links, type Query } from './route.ts';
import { chainTitle } from '../shared/chains.ts';

/** A contract as the order that deployed it. */
function deploymentOf(contract: Contract): Order {
  return orderOf(ORDER_KINDS.DeployedContract, contract);
}

function Deployment({ contract }: { readonly contract: Contract }) {
  return <OrderState order={deploymentOf(contract)} />;
}

const nameOf = ({ name, alias, ercStandard }: Contract) => name ?? alias ?? ercStandard;

/** Whether certificates can be revoked, which is fixed at deployment. */
function revocationOf(burnAuth: Contract['burnAuth']): string {
  if (burnAuth === null) return 'as the contract says';
  return burnAuth === 'issuer' || burnAuth === 'both' ? 'possible' : 'never possible';
}

const COLUMNS: readonly Column<Contract>[] = [
  ['State', (contract) => <Deployment contract={contract} />],
  ['Name', (contract) => <a href={links.contract(contract._id)}>{nameOf(contract)}</a>, 'wrap'],
  ['Symbol', ({ symbol }) => symbol],
  ['Standard', ({ ercStandard }) => (ercStandard === 'Forwarder' ? 'forwarder' : `ERC-${ercStandard}`)],
  ['Type', ({ contractType }) => contractType],
  ['Revocation', ({ contractType, burnAuth }) => (contractType === 'certificate' ? revocationOf(burnAuth) : null)],
  ['Chain', ({ chainId }) => chainTitle(chainId)],
  ['Address', (contract) => <ContractHex {...contract} />],
  [
    'Ordered',
    ({ createdAt }) => (
      <>
        <Age at={createdAt} /> ago
      </>
    ),
  ],
];

/** The contracts of the account, its forwarders among them. */
export function ContractsView({ query }: { readonly query: Query }) {
  const cursor = query.before ? `&cursor=${encodeURIComponent(query.before)}` : '';
  const live = useLive<List<Contract>>(`/contracts?limit=25${cursor}`, 15);
  return (
    <>
      <h1>Contracts</h1>
      <Panel title="Newest first" live={live}>
        <RecordTable
          label="Contracts"
          items={live.data?.items ?? []}
          idOf={({ _id }) => _id}
          columns={COLUMNS}
          empty="The account has no contract."
        />
        <HashPager query={query} next={live.data?.nextCursor ?? null} linkTo={links.contracts} />
      </Panel>
    </>
  );
}

const TOKEN_COLUMNS: readonly Column<Metadata>[] = [
  ['Token', ({ tokenId, _id }) => <a href={links.metadata(_id)}>{tokenId === '' ? 'not minted yet' : tokenId}</a>],
  ['Name', ({ name }) => shortText(name), 'wrap'],
  ['Type', ({ utility }) => utility.type],
  ['Status', ({ currentStatus }) => currentStatus],
  ['Version', ({ version, frozenAt }) => `${version}${frozenAt === null ? '' : ', frozen'}`],
  [
    'Changed',
    ({ updatedAt }) => (
      <>
        <Age at={updatedAt} /> ago
      </>
    ),
  ],
];

/** One contract, and its tokens. */
export function ContractView({ id, query }: { readonly id: string; readonly query: Query }) {
  const live = useLive<Contract>(`/contracts/${encodeURIComponent(id)}`, 5);
  const contract = live.data;
  const order = contract === undefined ? undefined : deploymentOf(contract);
  const address = contract?.contractAddress ?? null;
  return (
    <>
      <h1 class="wrap">{contract === undefined ? id : nameOf(contract)}</h1>
      {contract !== undefined && (
        <div class="facts">
          <p>
            <Deployment contract={contract} /> on {chainTitle(contract.chainId)} <ContractHex {...contract} />
          </p>
          {address !== null && contract.ercStandard !== 'Forwarder' && (
            <p>
              <a href={links.mint(id)}>Mint a token</a>, <a href={links.orders({ contract: address })}>its orders</a>,{' '}
              <a href={`/collection/${contract.chainId}/${address}`} target="_blank" rel="noopener">
                its public page
              </a>
            </p>
          )}
        </div>
      )}
      {order !== undefined && <OrderReason order={order} />}
      {contract !== undefined && <OnChain contract={contract} />}
      {contract !== undefined && address !== null && contract.ercStandard !== 'Forwarder' && (
        <>
          <Tokens contract={contract} address={address} query={query} />
          <Holdings contract={contract} address={address} />
        </>
      )}
      {contract !== undefined && contract.ercStandard !== 'Forwarder' && <CollectionPanel contract={contract} />}
      <Panel title="The contract as returned by the API" live={live}>
        {contract !== undefined && <Fields of={contract} />}
      </Panel>
    </>
  );
}

const INCOMPLETE = {
  TOO_MANY_TRANSFERS: 'it reports more transfers in a block than are stored',
  UNREADABLE: 'the nodes of its chain do not return all its transfers',
  RANGES: 'it moves ranges of tokens at once',
  REGISTERED_LATER: 'it is read from its registration on',
} as const;

/** What the chain says of a contract, where it is not what the account expects. */
function OnChain({ contract: { chainId, onChain, currentOwnerAddress } }: { readonly contract: Contract }) {
  if (onChain === null) return null;
  const { ownerAddress, incomplete } = onChain;
  const isOther = ownerAddress !== null && ownerAddress !== currentOwnerAddress?.toLowerCase();
  return (
    <>
      {isOther && (
        <p class="note warn">
          Its owner on chain is <AddressHex chainId={chainId} address={ownerAddress} />, set outside this service.
        </p>
      )}
      {incomplete !== null && <p class="note">Not all its holders are known: {INCOMPLETE[incomplete]}.</p>}
    </>
  );
}

const HOLDING_COLUMNS: readonly Column<Holding>[] = [
  ['Token', ({ tokenId }) => <Hex value={tokenId} />],
  ['Holder', ({ chainId, holder }) => <AddressHex chainId={chainId} address={holder} />],
  ['Units', ({ amount }) => amount],
];

function Holdings({ contract, address }: { readonly contract: Contract; readonly address: string }) {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const wanted = new URLSearchParams({ limit: '25', chainId: contract.chainId, contractAddress: address });
  const cursor = cursors.at(-1);
  if (cursor !== undefined) wanted.set('cursor', cursor);
  const live = useLive<List<Holding>>(`/holdings?${wanted.toString()}`, 15);
  const next = live.data?.nextCursor ?? null;
  return (
    <Panel title="Who holds its tokens" live={live}>
      <RecordTable
        label="Holdings"
        items={live.data?.items ?? []}
        idOf={({ tokenId, holder }) => `${tokenId} ${holder}`}
        columns={HOLDING_COLUMNS}
        empty="Nobody holds a token."
      />
      <Pager
        onNewer={cursors.length === 0 ? undefined : () => setCursors(cursors.slice(0, -1))}
        onOlder={next === null ? undefined : () => setCursors([...cursors, next])}
      />
    </Panel>
  );
}

function Tokens(props: { readonly contract: Contract; readonly address: string; readonly query: Query }) {
  const { contract, address, query } = props;
  const wanted = new URLSearchParams({ limit: '25', chainId: contract.chainId, contractAddress: address });
  if (query.before) wanted.set('cursor', query.before);
  const live = useLive<List<Metadata>>(`/metadata?${wanted.toString()}`, 15);
  return (
    <Panel title="Its tokens, newest document first" live={live}>
      <RecordTable
        label="Tokens"
        items={live.data?.items ?? []}
        idOf={({ _id }) => _id}
        columns={TOKEN_COLUMNS}
        empty="No token with metadata of the account."
      />
      <HashPager
        query={query}
        next={live.data?.nextCursor ?? null}
        linkTo={(more) => links.contract(contract._id, more)}
      />
    </Panel>
  );
}
