// One look at what answers a challenge, from one set of name servers. Whatever is seen is noted step by step, because a person has to find out why it failed.

import type { House } from '#core/server/house.ts'
import { OutwardError } from '#core/server/outward/refusal.ts'
import type { ChallengeType } from '#standards/acme/challenge-types.ts'
import {
  alpnProtocol,
  checkHttpAnswer,
  checkPersistRecords,
  checkTlsAnswer,
  checkTxtRecords,
  dnsAccountRecordName,
  dnsRecordName,
  httpPath,
  keyAuthorization,
  persistRecordName,
  serverNameOf,
  shown,
} from '#standards/acme/challenges.ts'
import type { Identifier } from '#standards/acme/identifiers.ts'
import { problemOf, type Problem, type ProblemType } from '#standards/acme/problem.ts'
import type { DirectorySettings } from '../contract.ts'

export type LookSettings = Pick<DirectorySettings, 'httpPort' | 'tlsPort' | 'caaIdentities'>

export type Look = {
  house: House
  tenantId: string
  settings: LookSettings
  identifier: Identifier
  wildcard: boolean
  token: string
  thumbprint: string
  accountUrl: string
  /** Name servers to ask; undefined for those of the installation. */
  servers: readonly string[] | undefined
  note(step: string): void
}

type LookAt = (look: Look) => Promise<Problem | undefined>

const mostBody = 1024

const lookAtFile: LookAt = async ({ house, tenantId, settings, identifier, token, thumbprint, servers, note }) => {
  const { value, type } = identifier
  const host = type === 'ip' && value.includes(':') ? `[${value}]` : value
  const port = settings.httpPort === 80 ? '' : `:${settings.httpPort}`
  const url = `http://${host}${port}${httpPath(token)}`
  // Stands also where no connection comes about: the person learns which port was tried.
  note(`Asks for ${url}`)
  const answer = await house.outward.request({
    use: 'acmeHttp',
    url,
    tenantId,
    mostBytes: mostBody,
    longer: 'cut',
    tls: { trust: 'any' },
    ...(servers === undefined ? {} : { servers }),
    onHop: (hop) => note(`Connected to ${hop.address} for ${hop.url}`),
  })
  const body = answer.body.toString('latin1')
  note(`It answered ${answer.status}: ${shown(body)}${answer.cut ? ' and more' : ''}`)
  return checkHttpAnswer({ status: answer.status, body }, keyAuthorization(token, thumbprint))
}

const lookAtTls: LookAt = async ({ house, tenantId, settings, identifier, token, thumbprint, servers, note }) => {
  const serverName = serverNameOf(identifier)
  note(`Asks ${identifier.value} port ${settings.tlsPort}`)
  const socket = await house.outward.connect({
    use: 'acmeTls',
    host: identifier.value,
    port: settings.tlsPort,
    tenantId,
    servers,
    tls: { trust: 'any', applicationProtocols: [alpnProtocol], serverName },
  })
  try {
    if (!('getPeerX509Certificate' in socket)) throw new TypeError('The connection is not secured')
    note(`Connected to ${socket.remoteAddress ?? ''} port ${settings.tlsPort}, asked for ${serverName} by ${alpnProtocol}`)
    const certificate = socket.getPeerX509Certificate()
    note(`It agreed to ${socket.alpnProtocol || 'no protocol'} and showed a certificate for ${certificate?.subjectAltName ?? 'no name'}`)
    return checkTlsAnswer(
      { protocol: socket.alpnProtocol || undefined, certificate: certificate?.raw ?? new Uint8Array() },
      identifier,
      keyAuthorization(token, thumbprint),
    )
  } finally {
    socket.destroy()
  }
}

async function textsAt(name: string, { house, tenantId, servers, note }: Look): Promise<string[]> {
  const found = await house.outward.query({ name, type: 'TXT', servers, tenantId })
  note(found.length === 0 ? `TXT ${name}: no record` : `TXT ${name}: ${found.slice(0, 10).map(shown).join(', ')}`)
  return found
}

const lookAtRecord =
  (nameOf: (look: Look) => string): LookAt =>
  async (look) => {
    const name = nameOf(look)
    return checkTxtRecords(name, await textsAt(name, look), keyAuthorization(look.token, look.thumbprint))
  }

const lookAtPersistent: LookAt = async (look) => {
  const name = persistRecordName(look.identifier.value)
  return checkPersistRecords(name, await textsAt(name, look), {
    identities: look.settings.caaIdentities,
    accountUrl: look.accountUrl,
    wildcard: look.wildcard,
    now: look.house.now(),
  })
}

const looks: Record<Exclude<ChallengeType, 'device-attest-01'>, LookAt> = {
  'http-01': lookAtFile,
  'tls-alpn-01': lookAtTls,
  'dns-01': lookAtRecord(({ identifier }) => dnsRecordName(identifier.value)),
  'dns-account-01': lookAtRecord(({ identifier, accountUrl }) => dnsAccountRecordName(accountUrl, identifier.value)),
  'dns-persist-01': lookAtPersistent,
}

/** What an outgoing connection that came to nothing is called on the wire. */
const problemTypeOf = ({ reason }: OutwardError): ProblemType =>
  reason === 'name' || reason === 'nameServer' ? 'dns' : reason === 'certificate' ? 'tls' : 'connection'

const closedHint =
  'The address is not public. Whoever runs the installation can open its network with CHANCERY_OUTWARD_ALLOW, and a port with CHANCERY_OUTWARD_PORTS'

/** Looks once. Undefined where the challenge is met. */
export async function lookAt(type: Exclude<ChallengeType, 'device-attest-01'>, look: Look): Promise<Problem | undefined> {
  try {
    return await looks[type](look)
  } catch (error) {
    if (!(error instanceof OutwardError)) throw error
    look.note(error.message)
    if (error.reason === 'address' || error.reason === 'port') look.note(closedHint)
    return problemOf(problemTypeOf(error), error.message)
  }
}
