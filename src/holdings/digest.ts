import type { Log } from 'viem';
import type { IndexedBlock, IndexStop } from '../platform/database/schema.ts';
import { decodeLog } from './decode-log.ts';
import type { IndexedContract, LogPlace, OwnerRow, Step, TransferRow } from './index.store.ts';
import { blockOfLog } from './read-range.ts';

/** The transfers of a contract in a day after which the rest waits for the next: what nobody pays for has a limit. */
const MAX_IN_DAY = 250_000;
/**
 * The most transfers of all contracts in a block, from those with the fewest on: the request that stores them has at
 * most some 7 MB. True ones of a full block are fewer, since each takes some 5,000 gas, so that no holder can stop a
 * contract's index in a block.
 */
const MAX_OF_BLOCK = 20_000;
/** The rows after which a step ends with the block that it is in. */
const STEP_ROWS = 5_000;

/** What the logs of a range come to. */
interface Digest extends Pick<Step, 'transfers' | 'owners' | 'contracts'> {
  /** The last block that is in it: that of the range, unless it has too many transfers for one step. */
  readonly end: IndexedBlock;
}

/** The logs of contracts in a range of blocks, in order, of which more than half of the nodes have each. */
interface RangeLogs {
  readonly contracts: readonly IndexedContract[];
  readonly logs: readonly Log[];
  readonly end: IndexedBlock;
  /** The day in which they are read, since 1970. */
  readonly today: number;
}

/** What is known of a contract while its logs are read. */
interface Reading {
  contract: IndexedContract;
  isChanged: boolean;
}

/** Whether a contract is still read on this day. */
export function isRead({ stop, day, transfersOfDay }: IndexedContract, today: number): boolean {
  return stop === null && (day !== today || transfersOfDay < MAX_IN_DAY);
}

/**
 * Reads logs block by block, whatever the ranges are that they were asked in, so that an index that is built again has
 * the same. A contract that reports too much in a block, or what cannot be stored, stops with the block before.
 */
export function digest({ contracts, logs, end, today }: RangeLogs): Digest {
  const readings = new Map(
    contracts.map((contract): [string, Reading] => [contract.contractAddress, { contract, isChanged: false }]),
  );
  const transfers: TransferRow[] = [];
  const owners: OwnerRow[] = [];
  let last = end;
  for (const [number, ofBlock] of Map.groupBy(logs, (log) => Number(log.blockNumber))) {
    const byContract = [...Map.groupBy(ofBlock, ({ address }) => address)].flatMap(([address, own]) => {
      const reading = readings.get(address);
      return reading === undefined || !isRead(reading.contract, today) || number < (reading.contract.nextBlock ?? 0)
        ? []
        : [{ reading, rows: rowsOf(reading, own) }];
    });
    let count = 0;
    for (const { reading, rows } of byContract.toSorted((a, b) => sizeOf(a.rows) - sizeOf(b.rows))) {
      const next = afterBlock(reading.contract, rows, { number, today, others: count });
      reading.isChanged ||= next !== reading.contract;
      reading.contract = next;
      if (next.stop !== null || rows === 'range') continue;
      count += sizeOf(rows);
      transfers.push(...rows.transfers);
      owners.push(...rows.owners);
    }
    const [first] = ofBlock;
    if (transfers.length + owners.length >= STEP_ROWS && first !== undefined) {
      last = blockOfLog(first);
      break;
    }
  }
  const changed = [...readings.values()].filter(({ isChanged }) => isChanged).map(({ contract }) => contract);
  return { end: last, transfers, owners, contracts: changed };
}

type Rows = { readonly transfers: readonly TransferRow[]; readonly owners: readonly OwnerRow[] } | 'range';

function sizeOf(rows: Rows): number {
  return rows === 'range' ? 0 : rows.transfers.length + rows.owners.length;
}

/** The contract after a block with these rows. */
function afterBlock(
  contract: IndexedContract,
  rows: Rows,
  { number, today, others }: { readonly number: number; readonly today: number; readonly others: number },
): IndexedContract {
  const stopFor = (stop: IndexStop) => ({ ...contract, stop, nextBlock: number });
  if (rows === 'range') return stopFor('RANGES');
  const size = sizeOf(rows);
  if (size === 0) return contract;
  if (others + size > MAX_OF_BLOCK) return stopFor('TOO_MANY_TRANSFERS');
  const transfersOfDay = size + (contract.day === today ? contract.transfersOfDay : 0);
  const counted = { ...contract, day: today, transfersOfDay };
  return isRead(counted, today) ? counted : { ...counted, nextBlock: number + 1 };
}

/** What the logs of a contract in a block report. */
function rowsOf({ contract: { contractId, ercStandard } }: Reading, logs: readonly Log[]): Rows {
  const transfers: TransferRow[] = [];
  const owners: OwnerRow[] = [];
  for (const log of logs) {
    const report = decodeLog(log, ercStandard);
    if (report.kind === 'range') return 'range';
    const place = placeOf(contractId, log);
    if (report.kind === 'owner') owners.push({ ...place, owner: report.owner });
    if (report.kind !== 'transfers') continue;
    for (const [position, { from, to, tokenId, amount }] of report.transfers.entries()) {
      transfers.push({
        ...place,
        position,
        token_id: tokenId.toString(),
        from_address: from,
        to_address: to,
        amount: amount.toString(),
      });
    }
  }
  return { transfers, owners };
}

function placeOf(contractId: string, log: Log): LogPlace {
  const [number, hash] = blockOfLog(log);
  return {
    contract_id: contractId,
    block_number: number,
    block_hash: hash,
    log_index: log.logIndex ?? 0,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of a mined log
    tx_hash: log.transactionHash as LogPlace['tx_hash'],
  };
}
