/** Everything that the page says, in one language. */
export type Texts = typeof ENGLISH;

const ENGLISH = {
  /** The language's code, as browsers name it. */
  language: 'en',
  /** The language's own name. */
  languageName: 'English',
  pageTitle: 'A token for you',

  loading: 'Opening the link',
  deadTitle: 'This link does not work',
  dead: 'It may have been copied incompletely: the part after # belongs to it. Otherwise ask whoever sent it to you.',
  silentTitle: 'The service does not answer',
  silent: 'It is asked again in a few seconds.',
  states: {
    EXPIRED: ['Too late', 'Nobody claimed it in time. Ask the issuer for another link.'],
    CANCELLED: ['Cancelled', 'The issuer has cancelled this link.'],
    BLOCKED: ['Blocked', 'Too many wrong PINs were sent. Ask the issuer for another link.'],
  },

  from: 'From',
  askingTitle: 'Asking who it is from',
  unknownTitle: 'Issuer unknown',
  confirmedBy: (domain: string) => `Confirmed by the operator; proven by ${domain}.`,
  unconfirmed: 'Nobody has confirmed who issues it.',
  caution: 'Claim it only if you know who sent you the link.',
  unproven: (domain: string) =>
    `The operator names ${domain} as the issuer’s domain, but the proof there could not be read, or does not name the wallet that issues it.`,
  logo: 'Logo of the issuer',
  testNetwork: 'This is a test network. Tokens on it have no value.',
  soulbound: 'It stays with the address that you choose and can never be transferred.',
  picture: 'The picture of the token',
  pictureFailed: 'The picture cannot be loaded.',
  collection: 'Collection',
  number: 'Number',
  amount: 'Amount',
  network: 'Network',
  contract: 'Contract',
  issuedBy: 'Issued by the wallet',
  until: 'Can be claimed until',

  receiverTitle: 'Where should it go?',
  free: 'It costs you nothing.',
  walletTitle: 'To a wallet that you have',
  browserWallet: 'Wallet of this browser',
  connect: (name: string) => `Connect ${name}`,
  connectFailed: 'The wallet gave no address.',
  addressTitle: 'To an address',
  address: 'Address: 0x and 40 hex digits',
  useAddress: 'Use this address',
  badAddress: 'This is no address that can get it: 0x and 40 hex digits. If it has capital letters, one may be wrong.',

  confirmTitle: 'Is this right?',
  goesTo: 'It goes to this address. Nobody can change that afterwards.',
  pin: 'PIN',
  claim: 'Claim',
  claiming: 'Claiming',
  other: 'Choose another address',
  wrongPin: (left: string) => `The PIN is wrong. Tries left: ${left}.`,
  tooMany: 'Too many requests from your network. Try again in a minute.',
  failed: 'The service did not answer. Try again: it is claimed once at most.',

  mintTitles: {
    running: 'On its way',
    CONFIRMED: 'It is there',
    FAILED: 'It could not be issued',
    CANCELLED: 'It was cancelled',
  },
  mints: {
    running: 'The network is writing it. This takes some seconds; you may close the page.',
    CONFIRMED: 'The token is at this address:',
    FAILED: 'The network refused it. Ask the issuer; the token was to go to this address:',
    CANCELLED: 'The issuer has cancelled it. The token was to go to this address:',
  },
  transaction: 'Transaction',
  check: 'Check the certificate',
};

const KOREAN: Texts = {
  language: 'ko',
  languageName: '한국어',
  pageTitle: '토큰 받기',

  loading: '링크를 여는 중',
  deadTitle: '사용할 수 없는 링크입니다',
  dead: '링크가 일부만 복사되었을 수 있습니다. # 뒤의 부분까지 모두 필요합니다. 그래도 안 되면 링크를 보낸 사람에게 문의하세요.',
  silentTitle: '서비스가 응답하지 않습니다',
  silent: '몇 초 뒤에 다시 시도합니다.',
  states: {
    EXPIRED: ['기간이 지났습니다', '기간 안에 아무도 받지 않았습니다. 발급자에게 새 링크를 요청하세요.'],
    CANCELLED: ['취소되었습니다', '발급자가 이 링크를 취소했습니다.'],
    BLOCKED: ['차단되었습니다', '잘못된 PIN이 너무 많이 입력되었습니다. 발급자에게 새 링크를 요청하세요.'],
  },

  from: '보낸 곳:',
  askingTitle: '발급자를 확인하는 중',
  unknownTitle: '발급자 미확인',
  confirmedBy: (domain) => `운영자가 확인했고 ${domain}에서 증명했습니다.`,
  unconfirmed: '누가 발급하는지 확인되지 않았습니다.',
  caution: '링크를 보낸 사람을 아는 경우에만 받으세요.',
  unproven: (domain) =>
    `운영자가 밝힌 발급자의 도메인은 ${domain}이지만, 그곳의 증명을 읽을 수 없거나 거기에 발급하는 지갑이 없습니다.`,
  logo: '발급자의 로고',
  testNetwork: '테스트 네트워크입니다. 여기에 있는 토큰은 가치가 없습니다.',
  soulbound: '선택한 주소에 계속 남으며 다른 주소로 옮길 수 없습니다.',
  picture: '토큰의 그림',
  pictureFailed: '그림을 불러올 수 없습니다.',
  collection: '컬렉션',
  number: '번호',
  amount: '수량',
  network: '네트워크',
  contract: '컨트랙트',
  issuedBy: '발급하는 지갑',
  until: '받을 수 있는 기한',

  receiverTitle: '어디로 받을까요?',
  free: '비용은 들지 않습니다.',
  walletTitle: '가지고 있는 지갑으로',
  browserWallet: '이 브라우저의 지갑',
  connect: (name) => `${name} 연결`,
  connectFailed: '지갑에서 주소를 받지 못했습니다.',
  addressTitle: '주소로',
  address: '주소: 0x와 16진수 40자리',
  useAddress: '이 주소 사용',
  badAddress:
    '받을 수 있는 주소가 아닙니다. 0x와 16진수 40자리여야 하며, 대문자가 있다면 한 글자가 틀렸을 수 있습니다.',

  confirmTitle: '맞습니까?',
  goesTo: '이 주소로 보냅니다. 나중에는 아무도 바꿀 수 없습니다.',
  pin: 'PIN',
  claim: '받기',
  claiming: '받는 중',
  other: '다른 주소 선택',
  wrongPin: (left) => `PIN이 틀렸습니다. 남은 횟수: ${left}`,
  tooMany: '이 네트워크에서 요청이 너무 많습니다. 1분 뒤에 다시 시도하세요.',
  failed: '서비스가 응답하지 않았습니다. 다시 시도하세요. 여러 번 시도해도 한 번만 받습니다.',

  mintTitles: {
    running: '보내는 중',
    CONFIRMED: '도착했습니다',
    FAILED: '발급하지 못했습니다',
    CANCELLED: '취소되었습니다',
  },
  mints: {
    running: '네트워크에 기록하는 중입니다. 몇 초 걸리며, 페이지를 닫아도 됩니다.',
    CONFIRMED: '토큰이 있는 주소:',
    FAILED: '네트워크가 거부했습니다. 발급자에게 문의하세요. 토큰을 받으려던 주소:',
    CANCELLED: '발급자가 취소했습니다. 토큰을 받으려던 주소:',
  },
  transaction: '트랜잭션',
  check: '인증서 확인하기',
};

/** The languages that the page speaks; the first is the default. */
export const LANGUAGES: readonly [Texts, ...Texts[]] = [ENGLISH, KOREAN];
