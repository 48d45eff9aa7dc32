// What a screen says about the mail that its deed writes. Without a mail server nothing is on its way, and saying so would leave two people
// waiting for each other.

import { to } from '#core/contract/paths.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { TextLink } from '#core/console/kit/links.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { mail } from './contract.ts'

/** True until it is known: most installations send mail. */
const useMailIsSent = (): boolean => useCall(mail.calls.state, {}).data?.configured !== false

/** `sent` where mail leaves; otherwise where it waits, with a link for who may read it there. */
export function MailNote({ sent }: { sent: string }) {
  const may = useMay()
  if (useMailIsSent()) return <>{sent}</>
  return (
    <>
      {t('No mail server is set: the mail waits in the Outbox.')}{' '}
      {may(mail.screens.outbox.needs, 'View') && (
        <>
          <TextLink to={to(mail.screens.outbox)}>
            {t('Open the Outbox')}
          </TextLink>
          .
        </>
      )}
    </>
  )
}
