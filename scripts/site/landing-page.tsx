import { Code } from './html.tsx';

/** A mint with a key of an account. It is run by test/browser/site.test.ts. */
const FIRST_MINT = `# NFT_URL   the address of this service
# NFT_KEY   a key of your account with the scopes metadata, mint and read
# CHAIN_ID  the chain, such as 43114; for a key_test_ key 43113
# CONTRACT  your ERC-721 contract
# RECEIVER  who gets the token
send() {
  curl -sS --fail-with-body "$NFT_URL$1" "\${@:2}" -H "x-api-key: $NFT_KEY" -H 'Content-Type: application/json'
}

# 1. The document of the token.
document=$(send /metadata -d '{"chainId":"'"$CHAIN_ID"'","name":"Seat 12","imageUrl":"https://example.com/seat-12.png",
  "utility":{"type":"Flexible","data":{"status":"Unused"}}}' | sed 's/.*"_id":"\\([^"]*\\)".*/\\1/')

# 2. The order: accepted at once, executed exactly once, however often it is sent with this Idempotency-Key.
send /minting/order -H 'Idempotency-Key: seat-12' -d '{"chainId":"'"$CHAIN_ID"'","contractAddress":"'"$CONTRACT"'",
  "receiverAddress":"'"$RECEIVER"'","tokenId":"12","metadataId":"'"$document"'"}'

# 3. How it stands: a few seconds later CONFIRMED, with its txHash.
send "/minting/by-token?contractAddress=$CONTRACT&tokenId=12"`;

/** What the service is, for whom, how to begin, and why to trust it. */
export function LandingPage() {
  return (
    <>
      <h1>Issue NFTs over HTTP, each exactly once</h1>
      <p class="lead">
        An API that deploys ERC-721 and ERC-1155 contracts, stores metadata, mints, lets holders transfer and burn
        without paying gas, issues non-transferable certificates, and reports each result by signed webhook.
      </p>
      <p class="actions">
        <a class="button primary" href="/docs/partner-guide">
          Start with the partner guide
        </a>
        <a class="button" href="/docs/reference">
          API reference
        </a>
      </p>
      <h2 id="for-whom">For whom</h2>
      <ul class="cards">
        <li>
          <h3>
            <a href="/docs/partner-guide">Partners</a>
          </h3>
          <p>
            Companies that issue tickets, coupons, collectibles or certificates. Your program sends one request for an
            order; you need not care about chains, nonces, gas and retries. The <a href="/portal">portal</a> shows
            orders, webhooks and keys.
          </p>
        </li>
        <li>
          <h3>
            <a href="/docs/certificate-check">Holders</a>
          </h3>
          <p>
            Anyone who has a certificate, or is shown one, can <a href="/verify">check</a> in the browser that it is
            unaltered and who issued it. The check queries the chain itself; who the issuer is, this service and the
            domain of the issuer say.
          </p>
        </li>
        <li>
          <h3>
            <a href="/docs/operations">Operators</a>
          </h3>
          <p>
            If you run the service, on Cloudflare Workers and PostgreSQL, you have the <a href="/console">console</a>,
            metrics, limits, pauses and an audit log.
          </p>
        </li>
      </ul>
      <h2 id="three-minutes">A mint in three minutes</h2>
      <p>
        On your machine, in a copy of the repository, with only Node.js 20 or newer and npm (on systems other than Linux
        x64, also Foundry):
      </p>
      <Code code="npm run demo" language="sh" />
      <p>
        It installs what it needs and starts the whole service with two local chains. Then it mints, moves the token for
        a holder who pays no gas, checks a certificate, and prints each step. <code>npm run dev</code> keeps the service
        running.
      </p>
      <p>On this service, with a key and a contract of your account, and curl:</p>
      <Code code={FIRST_MINT} language="sh" />
      <p>
        No contract yet? <a href="/docs/guide">Complete programs</a> in curl, TypeScript and Python deploy one first.
      </p>
      <h2 id="promise">The promise, and how it is proven</h2>
      <p>
        <strong>An accepted order is executed exactly once</strong>, whatever crashes, times out or is delivered twice.
        Orders are stored before the reply, signed bytes are stored before they are sent, and retries send stored bytes
        (<a href="/docs/engine">engine</a>).
      </p>
      <ul>
        <li>
          <strong>Simulation</strong>: the whole service runs in a simulated world in which, as a seed decides,
          processes die, queues repeat, nodes lie and chains reorganize. Checks after each step and at the end find
          anything that was lost or happened twice.
        </li>
        <li>
          <strong>Mutants</strong>: guards are removed, one at a time, and the simulation must notice.
        </li>
        <li>
          <strong>Crashes</strong>: the real parts are killed under load, and the chain is compared with what was
          accepted.
        </li>
      </ul>
      <p>
        <a href="/docs/reliability">Reliability</a> has the figures, the limits, and the commands to repeat all this.
      </p>
      <p>
        <strong>Anyone can check a certificate</strong> with only the chain and the public document. The{' '}
        <a href="/docs/certificates#checking-one-with-curl">programs</a> for it are short enough to read.
      </p>
      <p class="muted">
        <a href="/openapi.json">openapi.json</a>, <a href="/docs/changelog">changelog</a>, <a href="/health">health</a>{' '}
        of this service.
      </p>
    </>
  );
}
