// What the server connects to on somebody's behalf, and the rules for each. A new use is a new row.

const kibibyte = 1024
const web = [443, 8443]

export type UsePolicy = {
  /** `public`: public addresses, and what the installation allows. `named`: only networks that the caller names, private ones too. */
  reaches: 'public' | 'named'
  /** The installation may add ports; `any` is for those who look at what is there. */
  ports: readonly number[] | 'any'
  schemes: readonly ('http:' | 'https:')[]
  redirects: number
  /** `any` may look at a certificate that it does not trust. */
  certificates: 'trusted' | 'any'
  /** Until the head of an answer has come, and until all is over. */
  headMilliseconds: number
  milliseconds: number
  mostBytes: number
}

const defaults = {
  reaches: 'public',
  ports: web,
  schemes: ['https:'],
  redirects: 0,
  certificates: 'trusted',
  headMilliseconds: 10_000,
  milliseconds: 15_000,
  mostBytes: 1024 * kibibyte,
} as const satisfies UsePolicy

export const uses = {
  webhook: { ...defaults, mostBytes: 64 * kibibyte },
  /** RFC 8555 8.3: redirects are followed, to ports 80 and 443 alone, and a certificate on the way proves nothing yet. */
  acmeHttp: {
    ...defaults,
    ports: [80, 443],
    schemes: ['http:', 'https:'],
    redirects: 10,
    certificates: 'any',
    milliseconds: 10_000,
    mostBytes: 4 * kibibyte,
  },
  /** Directories of other ACME authorities. */
  acmeClient: { ...defaults, milliseconds: 30_000, headMilliseconds: 30_000 },
  /** RFC 8737: the certificate is the answer, and signed by the one who is asked. */
  acmeTls: { ...defaults, ports: [443], schemes: [], certificates: 'any', milliseconds: 10_000 },
  /** A file that proves control of a domain: a page that sends on to another address proves nothing. */
  domainProof: { ...defaults, ports: [80, 443], schemes: ['http:', 'https:'], mostBytes: 4 * kibibyte },
  /** Name servers that somebody else than the installation chose. */
  nameServer: { ...defaults, ports: [53], schemes: [] },
  signIn: { ...defaults },
  scim: { ...defaults },
  directory: { ...defaults, ports: [389, 636, 3268, 3269], schemes: [], milliseconds: 30_000 },
  /** The shared files of a domain controller, SMB. */
  files: { ...defaults, ports: [445], schemes: [], milliseconds: 30_000 },
  syslog: { ...defaults, ports: [514, 601, 2514, 6514], schemes: [], milliseconds: 30_000 },
  provider: { ...defaults, milliseconds: 30_000 },
  /** The API of a Kubernetes cluster. */
  cluster: { ...defaults, ports: [...web, 6443], milliseconds: 30_000, mostBytes: 10 * 1024 * kibibyte },
  /** APIs of clouds and logs of certificates, whose pages are long. */
  cloud: { ...defaults, milliseconds: 30_000, mostBytes: 10 * 1024 * kibibyte },
  /** Relying parties fetch lists and ask OCSP over plain http. */
  revocation: { ...defaults, ports: [80, 443], schemes: ['http:', 'https:'], redirects: 3, mostBytes: 10 * 1024 * kibibyte },
  scan: { ...defaults, reaches: 'named', ports: 'any', schemes: ['http:', 'https:'], certificates: 'any', milliseconds: 10_000 },
  check: { ...defaults, reaches: 'named', ports: 'any', schemes: ['http:', 'https:'], certificates: 'any' },
} as const satisfies Record<string, UsePolicy>

export type Use = keyof typeof uses

/** Reads the rules of a use, all of one type. */
export const policyOf = (use: Use): UsePolicy => uses[use]
