import { links } from './route.ts';

/** The name of an account, which leads to it; its corporateId is in the title. */
export function AccountLink(props: { readonly corporateId: string; readonly corporateName: string }) {
  const { corporateId, corporateName } = props;
  return (
    <a href={links.account(corporateId)} title={corporateId}>
      {corporateName}
    </a>
  );
}
