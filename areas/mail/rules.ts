// The kinds of mail, and which of them a person can switch off.

export const noticeKinds = {
  approvalWaiting: { label: 'A request waits for my approval', optional: true },
  requestDecided: { label: 'A decision on my request', optional: true },
  certificateExpiring: { label: 'My certificate expires soon', optional: true },
  certificateChanged: { label: 'Somebody else renewed my certificate, put it on hold or released it', optional: true },
  licenceEnding: { label: 'A licence ends soon', optional: true },
  domainProof: { label: 'The proof of a domain is missing', optional: true },
  applicationEnding: { label: 'An application of mine ends soon', optional: true },
  provisioningHeld: { label: 'An identity provider was held back', optional: true },
  visitOverstayed: { label: 'A visitor of mine has not left', optional: true },
  leaverHolds: { label: 'Somebody who left has passes, or is expecting visitors', optional: true },
  authorityHealth: { label: 'An authority needs attention', optional: true },
  ticketAnswered: { label: 'Somebody answered my ticket', optional: true },
  ticketWaiting: { label: 'A ticket waits for me, or names me', optional: true },
  account: { label: 'Activation and sign-in', optional: false },
} as const

export type NoticeKind = keyof typeof noticeKinds

const retryMinutes = [1, 5, 15, 60, 240, 720, 1440]

/** When a mail that failed `attempts` times is tried again; undefined when it is given up. */
export const retryAt = (attempts: number, now: Date): Date | undefined => {
  const minutes = retryMinutes[attempts - 1]
  return minutes === undefined ? undefined : new Date(now.getTime() + minutes * 60_000)
}

/** Of mail that was sent, or failed for good. */
export const retentionDays = 90
