// One bad input: what class it is of, its bytes, and what must become of it.

export const classes = [
  'signature',
  'encoding',
  'attributes',
  'asking for more',
  'names',
  'payloads',
  'keys',
  'certificates',
  'revocation lists',
  'OCSP requests',
  'PKCS#7',
  'PKCS#12',
] as const
export type ClassName = (typeof classes)[number]

/** A request. Made when it is sent, since keys take a moment. */
export type RequestCase = {
  class: ClassName
  name: string
  /** PEM. */
  make(): string
  /**
   * `refused`: by whatever template. `ignored`: a template that reads requests refuses it, with the reason; one that does not may issue, with the
   * names and extensions that it has itself.
   */
  expects: 'refused' | 'ignored'
  reason: RegExp
  /** The template that its names are for: with every form of name, or by common name alone for what is no server, of an authority with name constraints; the one for servers otherwise. */
  template?: 'forms' | 'client' | 'constrained'
}

/** Something other than a request, with the doors that it is brought to. */
export type ObjectCase = {
  class: ClassName
  name: string
  make(): string | Promise<string>
  reason: RegExp
  doors: readonly ObjectDoor[]
  password?: string
}
export const objectDoors = ['decoder', 'upload', 'authority import', 'verify chain', 'verify chain lists', 'OCSP POST', 'OCSP GET'] as const
export type ObjectDoor = (typeof objectDoors)[number]

export type Row = {
  class: ClassName
  name: string
  door: string
  outcome: string
  reason: string
  /** What of the request stands in the certificate although the template does not give it. */
  issuedAsAsked: string
  /** What is wrong with the outcome itself; empty where it is as it should be. */
  wrong: string
  /** What the product computed for the answers of all doors together. */
  seconds: number
}
