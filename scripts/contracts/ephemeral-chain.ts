import {
  type Abi,
  type Address,
  type Hex,
  type PublicActions,
  type RpcTransactionReceipt,
  type TestClient,
  type TransactionReceipt,
  createClient,
  createTestClient,
  encodeDeployData,
  formatTransactionReceipt,
  getCreate2Address,
  http,
  keccak256,
  numberToHex,
  parseEther,
  publicActions,
  rpcSchema,
  stringToHex,
} from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { DEFAULT_CHAIN } from '../../src/chains/list.ts';
import { startAnvil } from '../../stack/anvil.ts';

/** The deterministic deployment proxy that the service deploys through; it has the same address on every chain. */
const create2Proxy: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C';

/** Enough for every call and deployment here, so that no estimates are needed. */
const defaultGas = 8_000_000n;

/** A transaction that is mined at once, even if it reverts. */
export interface ChainCall {
  from: Address;
  to: Address;
  data?: Hex;
  /** In wei; default 0. */
  value?: bigint;
  /** Gas limit; default 8 million. */
  gas?: bigint;
}

/** A deployed contract, with the gas of its deployment. */
export interface Deployment<abi extends Abi> {
  address: Address;
  abi: abi;
  gasUsed: bigint;
}

/** A local chain that is discarded after use. */
export interface EphemeralChain {
  client: TestClient<'anvil'> & PublicActions;
  chainId: number;
  /** A funded account with a signing key; the same name returns the same account. */
  account: (name: string) => Promise<PrivateKeyAccount>;
  /** Sends from one of the accounts and returns the receipt, whose `status` says whether it succeeded. */
  send: (call: ChainCall) => Promise<TransactionReceipt>;
  /**
   * Deploys through the CREATE2 proxy, as the service does, with a new salt each time.
   *
   * @throws Error when the constructor reverts.
   */
  deploy: <const abi extends Abi>(
    contract: { readonly abi: abi; readonly bytecode: Hex },
    args: readonly unknown[],
  ) => Promise<Deployment<abi>>;
  stop: () => Promise<void>;
}

/** Starts a local chain for contract tests and measurements. The caller must stop it. */
export async function startEphemeralChain(): Promise<EphemeralChain> {
  const chainId = Number(DEFAULT_CHAIN.id);
  const anvil = await startAnvil({ chainId });
  const transport = http(anvil.url, { batch: true });
  const client = createTestClient({ mode: 'anvil', transport, cacheTime: 0, pollingInterval: 10 }).extend(
    publicActions,
  );
  const sender = createClient({
    transport,
    rpcSchema:
      rpcSchema<[{ Method: 'eth_sendTransactionSync'; Parameters: [object]; ReturnType: RpcTransactionReceipt }]>(),
  });
  await client.setAutomine(true);

  const send = async ({ from, to, data, value = 0n, gas = defaultGas }: ChainCall): Promise<TransactionReceipt> =>
    formatTransactionReceipt(
      await sender.request({
        method: 'eth_sendTransactionSync',
        params: [{ from, to, data: data ?? '0x', value: numberToHex(value), gas: numberToHex(gas) }],
      }),
    );

  const account = async (name: string): Promise<PrivateKeyAccount> => {
    const created = privateKeyToAccount(keccak256(stringToHex(name)));
    await client.setBalance({ address: created.address, value: parseEther('1000') });
    await client.impersonateAccount({ address: created.address });
    return created;
  };

  const deployer = await account('deployer');
  let deployments = 0;

  return {
    client,
    chainId,
    account,
    send,
    deploy: async <const abi extends Abi>(
      contract: { readonly abi: abi; readonly bytecode: Hex },
      args: readonly unknown[],
    ): Promise<Deployment<abi>> => {
      deployments += 1;
      const salt = numberToHex(deployments, { size: 32 });
      const abi: Abi = contract.abi;
      const bytecode = encodeDeployData({ abi, bytecode: contract.bytecode, args });
      const receipt = await send({
        from: deployer.address,
        to: create2Proxy,
        data: `${salt}${bytecode.slice(2)}`,
      });
      if (receipt.status !== 'success') throw new Error('the deployment reverted');
      const address = getCreate2Address({ from: create2Proxy, salt, bytecode });
      return { address, abi: contract.abi, gasUsed: receipt.gasUsed };
    },
    stop: () => anvil.stop(),
  };
}
