import { describe, expect, it } from 'vitest';
import type { Address, Hex, PublicClient, TransactionReceipt } from 'viem';
import { create2Address, create2Call, saltOf } from './create2.ts';
import { creationCode } from './creation-code.ts';
import type { Services } from '../../services.ts';
import type { Claim } from '../../transactions/operation.ts';
import type { Contract } from '../../catalog/contracts/contracts.store.ts';
import { deploy } from './deploy.ts';

const id = '0190f3c1a2b4d5e6f7a8b9c0';
const claim = { orderId: id, chainId: '43114', order: { id, ercStandard: 'Forwarder' } } as Claim<Contract>;
const receipt = { transactionHash: `0x${'ab'.repeat(32)}`, blockNumber: 7n } as unknown as TransactionReceipt;

/** What is made of a mined deployment on a chain where one address has code. */
function interpretOn(calldata: Hex, deployed: Address | undefined) {
  const client: Pick<PublicClient, 'getCode'> & { getTransaction(): Promise<{ input: Hex }> } = {
    getTransaction: async () => ({ input: calldata }),
    getCode: async ({ address }) => (address === deployed ? '0x00' : undefined),
  };
  const services = { chains: new Map([['43114', { id: '43114', client }]]) };
  return deploy.interpret(services as unknown as Services, claim, receipt);
}

describe('a mined deployment', () => {
  const code = creationCode({ kind: 'Forwarder' });

  it('has its contract where the signed creation code put it, though the service has other code by now', async () => {
    for (const signed of [code, `${code}00`] as const) {
      const contractAddress = create2Address(saltOf(id), signed);
      expect(await interpretOn(create2Call(saltOf(id), signed), contractAddress)).toEqual({ contractAddress });
    }
  });

  it('that created nothing is a failure', async () => {
    expect(await interpretOn(create2Call(saltOf(id), code), undefined)).toHaveProperty('failure');
  });
});
