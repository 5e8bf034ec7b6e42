import type { Step } from './check-certificate.ts';
import { Icon } from '../shared/icon.tsx';
import { useTexts } from '../shared/visitors/language.tsx';

const MAX_CANONICAL = 20_000;

/** Each step of the check with its values. */
export function StepList({
  steps,
  canonical,
  isAltered,
}: {
  readonly steps: readonly Step[];
  readonly canonical: string | undefined;
  readonly isAltered: boolean;
}) {
  const { stepsTitle, canonicalForm } = useTexts();
  return (
    <section class="card">
      <h2>{stepsTitle}</h2>
      <ol class="steps">
        {steps.map((step, index) => (
          <StepItem key={index} step={step} isAltered={isAltered && index === steps.length - 1} />
        ))}
      </ol>
      {canonical !== undefined && (
        <details>
          <summary>{canonicalForm}</summary>
          <pre tabindex={0}>{canonical.slice(0, MAX_CANONICAL)}</pre>
        </details>
      )}
    </section>
  );
}

function StepItem({ step, isAltered }: { readonly step: Step; readonly isAltered: boolean }) {
  const texts = useTexts();
  const state = isAltered ? 'altered' : step.state;
  return (
    <li class={state}>
      <Icon name={state} />
      <div>
        <h3>
          {step.title(texts)} <span class="visually-hidden">({texts.stepStates[state]})</span>
        </h3>
        <dl>
          {step.values.map(([label, value], index) => (
            <div key={index}>
              <dt>{label(texts)}</dt>
              <dd>{value(texts).slice(0, MAX_CANONICAL)}</dd>
            </div>
          ))}
        </dl>
      </div>
    </li>
  );
}
