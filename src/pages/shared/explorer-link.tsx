/** An address, with a link to the chain's explorer. */
export function ExplorerLink({
  chain,
  address,
}: {
  readonly chain: { readonly explorerUrl: string };
  readonly address: string;
}) {
  return (
    <a class="mono" href={`${chain.explorerUrl}/address/${address}`} target="_blank" rel="noopener noreferrer">
      {address}
    </a>
  );
}
