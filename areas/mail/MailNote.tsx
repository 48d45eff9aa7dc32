// What a screen says about the mail that its action sends. Without a mail server nothing is on its way, and saying so would leave two people
// waiting for each other.

import { useMay } from '#core/console/bootstrap.ts'
import { TextLink } from '#core/console/kit/links.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { mail } from './contract.ts'

/** True until it is known: most installations send mail. */
const useMailIsSent = (): boolean => useCall(mail.calls.state, {}).data?.configured !== false

/** `sent` where mail leaves. Otherwise where it waits, for who can read it there; for others, who can neither read nor mend it, `unsent`. */
export function MailNote({ sent, unsent }: { sent: string; unsent?: string }) {
  const may = useMay()
  if (useMailIsSent()) return <>{sent}</>
  if (!may(mail.screens.outbox.needs, 'View')) return <>{unsent}</>
  return (
    <>
      {t('No mail server is set: the mail waits in the Outbox.')} <TextLink to={to(mail.screens.outbox)}>{t('Open the Outbox')}</TextLink>.
    </>
  )
}
