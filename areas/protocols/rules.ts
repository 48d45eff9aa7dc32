// Decisions of the enrolment protocols that need nothing but their arguments, for both sides.

export const protocols = {
  scep: { label: 'SCEP', rfc: 'RFC 8894' },
  est: { label: 'EST', rfc: 'RFC 7030' },
  cmp: { label: 'CMP', rfc: 'RFC 9810' },
  windows: { label: 'Windows', rfc: 'MS-XCEP, MS-WSTEP' },
} as const
export const protocolNames = Object.keys(protocols) as [Protocol, ...Protocol[]]
export type Protocol = keyof typeof protocols

/** By what the public address of a profile is found. */
export const addressKind = 'enrolment'

/** `processing`: it was taken and its request is being made. `pending`: somebody must agree first. */
export const transactionStates = ['processing', 'pending', 'issued', 'refused'] as const
export type TransactionState = (typeof transactionStates)[number]

export const transactionKinds = ['initial', 'renewal', 'serverKey'] as const
export type TransactionKind = (typeof transactionKinds)[number]

export const secretStates = ['active', 'used', 'expired', 'ended'] as const
export type SecretState = (typeof secretStates)[number]

/** How a secret stands. */
export function secretState(
  { usesLeft, expiresAt, endedAt }: { usesLeft: number | undefined; expiresAt: Date; endedAt: Date | undefined },
  now: Date,
): SecretState {
  if (endedAt !== undefined) return 'ended'
  if (usesLeft === 0) return 'used'
  return expiresAt <= now ? 'expired' : 'active'
}

/** In how many seconds an EST client whose request waits is to ask again (Retry-After of RFC 7030 4.2.3). */
export const estWaitSeconds = 60

/** Where Microsoft is for everybody but national clouds. */
export const intuneAddresses = {
  loginUrl: 'https://login.microsoftonline.com',
  graphUrl: 'https://graph.microsoft.com',
  resourceUrl: 'https://api.manage.microsoft.com',
} as const

/** What the application needs at Microsoft Entra. */
export const intunePermissions = ['Intune: scep_challenge_provider', 'Microsoft Graph: Application.Read.All'] as const

/** EST answers in base64 in one line, or in lines of so many characters: clients differ in what they read. */
export const lineLengths = [0, 64, 76] as const

/** What came to nothing is kept so long for people to look at. */
export const keepDays = 30

type Named = { field: string; value: string }

/**
 * The values of a request, by source, as a template reads a CSR: each attribute of the subject and each alternative name goes where the template has a place for
 * its kind. What has no place is left for the template to judge.
 */
export function valuesOfCsr(
  {
    certificateSubjects,
    certificateSans,
  }: {
    certificateSubjects: readonly { subjectField: string; fieldValue: string }[]
    certificateSans: readonly { sanField: string; fieldValue: string }[]
  },
  { subject, sans }: { subject: readonly Named[]; sans: readonly Named[] },
  isSource: (text: string) => boolean,
): Record<string, string[]> {
  const values: Record<string, string[]> = {}
  const put = (source: string | undefined, value: string): void => {
    if (source === undefined || !isSource(source)) return
    const all = (values[source] ??= [])
    if (!all.some((one) => one.toLowerCase() === value.toLowerCase())) all.push(value)
  }
  for (const { field, value } of subject) put(certificateSubjects.find((one) => one.subjectField === field)?.fieldValue, value)
  for (const { field, value } of sans) put(certificateSans.find((one) => one.sanField === field)?.fieldValue, value)
  return values
}

/** The first name of a CSR that is not among those that a secret is good for; undefined where all are. What the CSR leaves out is given all the same. */
export function strangeName(
  names: Readonly<Record<string, readonly string[]>>,
  { subject, sans }: { subject: readonly Named[]; sans: readonly Named[] },
): string | undefined {
  const bound = new Set(Object.values(names).flatMap((all) => all.map((value) => value.toLowerCase())))
  if (bound.size === 0) return undefined
  const asked = [...subject.filter(({ field }) => field === 'CN' || field === 'emailAddress'), ...sans]
  return asked.find(({ value }) => !bound.has(value.toLowerCase()))?.value
}
