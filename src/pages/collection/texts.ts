import { useTexts } from '../shared/visitors/language.tsx';

const ENGLISH = {
  title: 'Collection',
  loading: 'Loading the collection.',
  badLink:
    'There is no collection at this address. It should end with the id of a chain and the contract, 0x and 40 hex digits.',
  notFound: 'This service has no collection at this address on this chain.',
  failed: 'The collection cannot be read now.',
  again: 'Try again',
  issuedBy: 'Issued by',
  issuerUnknown: 'Issuer unknown',
  issuerAsked: 'Checking who issues it.',
  owner: 'It owns the contract, and it alone can mint.',
  noOwner: 'The service does not know which wallet owns the contract.',
  chain: 'Chain',
  standard: 'Standard',
  kinds: { standard: 'tokens that can be transferred', certificate: 'certificates, which stay with their holder' },
  minted: 'Tokens minted',
  moreThan: (count: string) => `more than ${count}`,
  newest: 'Newest tokens',
  noTokens: 'No token has been minted yet.',
  token: (id: string) => `Token ${id}`,
  showMore: 'Show more',
  tokensFailed: 'The tokens cannot be read now.',
};

const KOREAN: typeof ENGLISH = {
  title: '컬렉션',
  loading: '컬렉션을 읽고 있습니다.',
  badLink:
    '이 주소는 컬렉션을 가리키지 않습니다. 주소는 체인 번호와, 0x와 16진수 40자리로 된 컨트랙트로 끝나야 합니다.',
  notFound: '이 체인의 이 주소에는 이 서비스의 컬렉션이 없습니다.',
  failed: '지금은 컬렉션을 읽을 수 없습니다.',
  again: '다시 시도',
  issuedBy: '발급자:',
  issuerUnknown: '발급자 미확인',
  issuerAsked: '발급자를 읽고 있습니다.',
  owner: '컨트랙트를 소유한 지갑이며, 이 지갑만 발행할 수 있습니다.',
  noOwner: '컨트랙트를 소유한 지갑을 서비스가 알지 못합니다.',
  chain: '체인',
  standard: '표준',
  kinds: { standard: '옮길 수 있는 토큰', certificate: '보유자에게 남는 인증서' },
  minted: '발행된 토큰',
  moreThan: (count) => `${count}개 초과`,
  newest: '최근 토큰',
  noTokens: '아직 발행된 토큰이 없습니다.',
  token: (id) => `토큰 ${id}`,
  showMore: '더 보기',
  tokensFailed: '지금은 토큰을 읽을 수 없습니다.',
};

/** What the page of a collection says beside the texts of all pages for visitors, in the language of the page. */
export function useCollectionTexts(): typeof ENGLISH {
  return useTexts().language === 'ko' ? KOREAN : ENGLISH;
}
