import { describe, expect, it } from 'vitest';
import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  parseAbi,
  zeroAddress,
  type Address,
  type Log,
} from 'viem';
import { certificate1155 } from '../../../contracts/artifacts/Certificate1155.ts';
import { certificate721 } from '../../../contracts/artifacts/Certificate721.ts';
import { standard1155 } from '../../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../../contracts/artifacts/Standard721.ts';
import { lowerCase } from '../../core/lower-case.ts';
import { encodeMint, mintedToken, type MintRequest } from './mint-call.ts';

const receiver: Address = '0x52908400098527886E0F7030069857D2E4169EE7';
const contractAddress = lowerCase(`0x${'1'.repeat(40)}`);
const hash = `0x${'ab'.repeat(32)}` as const;
const uri = 'https://example.com/1.json';

const request = (fields: Partial<MintRequest> = {}): MintRequest => ({
  contractAddress,
  ercStandard: '721',
  receiverAddress: receiver,
  tokenId: '7',
  amount: 1,
  tokenUri: null,
  metadataHash: null,
  ...fields,
});

describe('the call that mints', () => {
  it.each([
    ['Standard721', standard721, request(), [receiver, 7n]],
    ['Standard1155', standard1155, request({ ercStandard: '1155', amount: 5 }), [receiver, 7n, 5n]],
    ['Certificate721', certificate721, request({ tokenUri: uri, metadataHash: hash }), [receiver, 7n, uri, hash]],
    [
      'Certificate1155',
      certificate1155,
      request({ ercStandard: '1155', amount: 5, tokenUri: uri, metadataHash: hash }),
      [receiver, 7n, 5n, uri, hash],
    ],
  ])('is the mint function of %s', (_, { abi }, mint, args) => {
    expect(decodeFunctionData({ abi, data: encodeMint(mint) })).toEqual({ functionName: 'mint', args });
  });

  it('keeps a token id of 256 bits exact', () => {
    const tokenId = (1n << 256n) - 1n;
    const { args } = decodeFunctionData({
      abi: standard721.abi,
      data: encodeMint(request({ tokenId: tokenId.toString() })),
    });
    expect(args).toEqual([receiver, tokenId]);
  });
});

const log = (fields: Pick<Log, 'topics' | 'data'>, address: Address) => ({ address, ...fields }) as Log;

describe('the minted token in a receipt', () => {
  const erc721 = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)']);
  const erc1155 = parseAbi([
    'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  ]);
  type Move = { readonly from?: Address; readonly to?: Address; readonly tokenId?: bigint };
  const transferLog = ({ from = zeroAddress, to = receiver, tokenId = 7n }: Move = {}, address = contractAddress) => {
    const topics = encodeEventTopics({ abi: erc721, eventName: 'Transfer', args: { from, to, tokenId } });
    return log({ topics: topics as Log['topics'], data: '0x' }, address);
  };

  const unitsLog = (value: bigint) => {
    const args = { operator: receiver, from: zeroAddress, to: receiver };
    const topics = encodeEventTopics({ abi: erc1155, eventName: 'TransferSingle', args });
    const data = encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [7n, value]);
    return log({ topics: topics as Log['topics'], data }, contractAddress);
  };

  it('is the ordered one', () => {
    expect(mintedToken(request(), [transferLog()])).toBe('7');
    expect(mintedToken(request({ ercStandard: '1155', amount: 5 }), [unitsLog(5n)])).toBe('7');
  });

  it.each<[string, Log[]]>([
    ['there is no log', []],
    ['the log is that of another contract', [transferLog({}, lowerCase(receiver))]],
    ['the receiver is another', [transferLog({ to: contractAddress })]],
    ['the token is another', [transferLog({ tokenId: 8n })]],
    ['the token existed before', [transferLog({ from: contractAddress })]],
  ])('is missing where %s', (_, logs) => {
    expect(mintedToken(request(), logs)).toBeUndefined();
  });

  it('is missing where fewer units were minted than ordered', () => {
    expect(mintedToken(request({ ercStandard: '1155', amount: 5 }), [unitsLog(4n)])).toBeUndefined();
  });
});
