import { withDates } from '#core/console/kit/DateTime.tsx'
import { t } from '#core/console/text.ts'
import { findings, type FindingName } from '../rules.ts'

/** What was found, in the reader's language. What stands in its braces is of a table of its own, or a name or a time as it is. */
export const findingTexts = ({ finding, params }: { finding: FindingName; params: Record<string, string> }): string =>
  withDates(
    t(findings[finding].says, {
      ...params,
      ...(params['problem'] === undefined ? {} : { problem: t(params['problem']) }),
      ...(params['list'] === undefined ? {} : { list: t(params['list']) }),
    }),
  )

/** That its certificates name another address than the server is set to; the consequence stands on its page. */
export const movedTexts = (moved: { from: string; to: string }): string =>
  t('Its certificates name {from}, and this server is set to {to} (CHANCERY_PKI_URL)', moved)

export const movedConsequence = ({ from }: { from: string }): string =>
  t(
    'It goes on naming {from} in what it issues: keep that address reaching this server, or nobody can tell whether its certificates are revoked.',
    { from },
  )
