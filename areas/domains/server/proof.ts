// Looks for the proof of control: the TXT record, then the file. Whatever is seen instead is noted, because a person has to find out why it failed.

import type { House } from '#core/server/house.ts'
import { OutwardError } from '#core/server/outward/refusal.ts'
import { fileUrls, proofText, recordName, type Proof } from '../rules.ts'
import type { DomainRecord, Seen } from './store.ts'

/** Without `proof` nothing was found; `seen` says what was there instead. */
export type Outcome = { proof?: Proof; seen: Seen[] }

type Wanted = Pick<DomainRecord, 'tenant_id' | 'name' | 'token' | 'includes_subdomains'>

const shownCharacters = 120
const mostFileBytes = 4096

/** A domain that stands for all names below it is proved by DNS alone: a file is of one host. */
export async function seekProof(house: House, wanted: Wanted, urls = fileUrls(wanted.name)): Promise<Outcome> {
  // All at once, because somebody waits for it and a server that is silent takes its whole time.
  const [byRecord, ...byFile] = await Promise.all([
    seekRecord(house, wanted),
    ...(wanted.includes_subdomains ? [] : urls.map((url) => seekFile(house, wanted, url))),
  ])
  if (byRecord === 'found') return { proof: 'dns', seen: [] }
  if (byFile.includes('found')) return { proof: 'http', seen: [] }
  const seen = [byRecord, ...byFile].filter((one) => one !== 'found')
  return { seen }
}

/** Whether a domain that was proved so has certainly lost its proof: an answer came, and the proof was not in it. Silence says nothing. */
export function isGone(by: Proof | null, { proof, seen }: Outcome): boolean {
  if (proof !== undefined) return false
  const answered = seen.filter(({ problem }) => problem !== 'noAnswer')
  return by === 'http' ? answered.some(({ way }) => way !== 'dns') : answered.some(({ way }) => way === 'dns')
}

async function seekRecord(house: House, { tenant_id: tenantId, name, token }: Wanted): Promise<'found' | Seen> {
  try {
    const texts = await house.outward.query({ name: recordName(name), type: 'TXT', tenantId })
    if (texts.some((text) => text.trim() === proofText(token))) return 'found'
    const [first] = texts
    return first === undefined
      ? { way: 'dns', problem: 'noRecord', detail: '' }
      : { way: 'dns', problem: 'otherRecord', detail: printable(first) }
  } catch (error) {
    return { way: 'dns', problem: 'noAnswer', detail: reasonOf(error) }
  }
}

async function seekFile(house: House, { tenant_id: tenantId, token }: Wanted, url: string): Promise<'found' | Seen> {
  const way = url.startsWith('https:') ? 'https' : 'http'
  try {
    const answer = await house.outward.request({ use: 'domainProof', url, tenantId, mostBytes: mostFileBytes, longer: 'cut' })
    if (answer.status !== 200) return { way, problem: 'status', detail: String(answer.status) }
    const lines = answer.body.toString('latin1').split(/\r?\n/)
    return lines.some((line) => line.trim() === proofText(token)) ? 'found' : { way, problem: 'otherFile', detail: '' }
  } catch (error) {
    const detail = reasonOf(error)
    const reason = error instanceof OutwardError ? error.reason : undefined
    return { way, problem: reason === 'name' ? 'noHost' : reason === 'redirect' ? 'redirect' : 'noAnswer', detail }
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof OutwardError)) throw error
  return error.message
}

const printable = (text: string): string => text.replace(/[^\u0020-\u007e]/g, '?').slice(0, shownCharacters)
