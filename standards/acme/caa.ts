// CAA records (RFC 8659, with the parameters of RFC 8657): whether the owner of a domain lets this authority certify it.

export type CaaRecord = { critical: boolean; tag: string; value: string }

export type CaaQuestion = {
  wildcard: boolean
  /** The domains by which this authority is named in CAA records. */
  identities: readonly string[]
  /** The challenge that proved the name. */
  method: string
  accountUrl: string
}

export type CaaVerdict = { allowed: true } | { allowed: false; because: string }

/** RFC 8659 3: the name itself and every name above it, but the root. The first that has CAA records decides. */
export function caaNames(name: string): string[] {
  const labels = name.replace(/^\*\./, '').split('.')
  return labels.map((_, at) => labels.slice(at).join('.'))
}

/** RFC 8659 4.2: an issuer's domain, then parameters. Undefined where it is malformed, which allows nobody. */
export function readIssueValue(value: string): { issuer: string; parameters: [name: string, value: string][] } | undefined {
  const [issuer = '', ...rest] = value.split(';').map((part) => part.replace(/^[ \t]+|[ \t]+$/g, ''))
  if (issuer !== '' && !/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(issuer)) return undefined
  const parameters: [string, string][] = []
  for (const part of rest) {
    if (part === '') continue
    const [, name, text] = /^([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)[ \t]*=[ \t]*([\u0021-\u003a\u003c-\u007e]*)$/i.exec(part) ?? []
    if (name === undefined || text === undefined) return undefined
    parameters.push([name.toLowerCase(), text])
  }
  return { issuer: issuer.toLowerCase(), parameters }
}

const knownTags: ReadonlySet<string> = new Set(['issue', 'issuewild', 'iodef', 'contactemail', 'contactphone', 'issuemail', 'issuevmc'])

/** Judges the records of the domain that decides. None at all allow everybody. */
export function judgeCaa(records: readonly CaaRecord[], question: CaaQuestion): CaaVerdict {
  const refuse = (because: string): CaaVerdict => ({ allowed: false, because })
  const strange = records.find(({ critical, tag }) => critical && !knownTags.has(tag.toLowerCase()))
  if (strange !== undefined) return refuse(`it has a critical property that is not known here (${strange.tag.slice(0, 40)})`)
  const of = (tag: string) => records.filter((record) => record.tag.toLowerCase() === tag)
  const wild = question.wildcard ? of('issuewild') : []
  const deciding = wild.length > 0 ? wild : of('issue')
  if (deciding.length === 0) return { allowed: true }
  const named = deciding.flatMap(({ value }) => readIssueValue(value) ?? []).filter(({ issuer }) => isAmong(question.identities, issuer))
  if (named.length === 0) return refuse(`it names ${namesIn(deciding)}, not this authority`)
  if (named.some(({ parameters }) => parametersAllow(parameters, question))) return { allowed: true }
  return refuse('it allows this authority for another account or by another method only')
}

const isAmong = (identities: readonly string[], issuer: string): boolean =>
  issuer !== '' && identities.some((identity) => identity.toLowerCase() === issuer)

function namesIn(records: readonly CaaRecord[]): string {
  const names = records.flatMap(({ value }) => readIssueValue(value)?.issuer ?? []).filter((issuer) => issuer !== '')
  return names.length === 0 ? 'nobody' : names.slice(0, 5).join(', ')
}

/** RFC 8657 3 and 4. One that comes twice can be met by nobody. */
function parametersAllow(parameters: readonly [string, string][], { method, accountUrl }: CaaQuestion): boolean {
  const of = (wanted: string) => parameters.filter(([name]) => name === wanted).map(([, value]) => value)
  const [accounts, methods] = [of('accounturi'), of('validationmethods')]
  if (accounts.length > 1 || methods.length > 1) return false
  if (accounts[0] !== undefined && accounts[0] !== accountUrl) return false
  return methods[0] === undefined || methods[0].split(',').some((one) => one.trim() === method)
}
