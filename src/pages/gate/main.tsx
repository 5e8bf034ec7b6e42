import { render } from 'preact';
import { WithKey } from '../shared/sign-in.tsx';
import { Gate } from './gate.tsx';
import { gateApi, tryGateKey } from './redeem.ts';

const app = document.getElementById('app');
if (app !== null) {
  render(
    <WithKey
      api={gateApi}
      title="Gate"
      label="Key of the gate"
      intro="A key with only the scope status is enough. It stays in this tab, is sent only to this service, and is forgotten when you close the tab."
      help={
        <p>
          <a href="/docs/gate">How to set up a gate</a>
        </p>
      }
      tryKey={tryGateKey}
    >
      <Gate />
    </WithKey>,
    app,
  );
}
