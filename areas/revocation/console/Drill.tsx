// The report of one drill, and the way from it to the real thing.

import { Alert, List, Text } from '@mantine/core'
import { IconAlertTriangle, IconBan } from '@tabler/icons-react'
import { useState } from 'react'
import { useParams } from 'react-router'
import { prepareRun } from '#areas/bulk/bulk-actions.tsx'
import { asCallFault, type CallFault } from '#core/console/call-fault.ts'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DetailPage } from '#core/console/kit/DetailPage.tsx'
import { DownloadButton } from '#core/console/kit/DownloadButton.tsx'
import { csvText } from '#core/console/kit/list-export.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { formatNumber, t } from '#core/console/text.ts'
import { revocation } from '../contract.ts'
import type { DrillView } from '../drills.ts'
import { revokeAction } from '../early-paths.ts'
import { drillFigureNames, drillFigures, durationText, queryInEarnest, reportRows, sizeText } from './drill-scope.ts'

export function Drill() {
  const { drillId = '' } = useParams()
  const query = useCall(revocation.calls.drill, { drillId })
  if (query.data === undefined)
    return (
      <Page title={t('Revocation drill')}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    )
  return <Report drill={query.data} />
}

function Report({ drill }: { drill: DrillView }) {
  const [fault, setFault] = useState<CallFault>()
  const { name, at, by, figures, query } = drill
  const inEarnest = queryInEarnest(query)
  const real = () =>
    inEarnest && void prepareRun(revokeAction, { selectAll: true }, inEarnest).catch((error: unknown) => setFault(asCallFault(error)))
  return (
    <DetailPage
      title={name === '' ? t('Revocation drill') : name}
      intro={
        <>
          {t('Held by {by}', { by })}, <DateTime at={at} />
        </>
      }
      buttons={
        <DownloadButton
          label={t('Download report')}
          fileName={`revocation-drill-${at.slice(0, 10)}.csv`}
          from={() => new Blob([`\u{feff}${csvText(reportRows(drill))}`], { type: 'text/csv;charset=utf-8' })}
        />
      }
      actions={[inEarnest !== undefined && { label: t('Revoke these for real'), icon: IconBan, danger: true, onClick: real }]}
    >
      <FaultAlert fault={fault} />
      <Section title={t('What it would do')}>
        <Facts
          items={[
            ...drillFigureNames.map((figure) => ({ label: t(drillFigures[figure].label), value: formatNumber(figures[figure]) })),
            { label: t('Takes about'), value: durationText(figures.seconds) },
          ]}
        />
        <Text size="sm" c="dimmed">
          {figures.measuredHere
            ? t('At {rate} certificates a second, as the latest bulk revocations here took.', { rate: formatNumber(figures.rowsPerSecond) })
            : t('At {rate} certificates a second. No bulk revocation here has been long enough to measure.', {
                rate: formatNumber(figures.rowsPerSecond),
              })}
        </Text>
        {figures.held > 0 && (
          <Text size="sm">
            {t(
              '{count, plural, one {# of them is on hold: revoking it for real ends the hold, and nobody can release it any more.} other {# of them are on hold: revoking these for real ends the holds, and nobody can release them any more.}}',
              { count: figures.held },
            )}
          </Text>
        )}
        {figures.already > 0 && (
          <Text size="sm">
            {inEarnest === undefined
              ? t('All of these are revoked already: nothing is left to revoke for real.')
              : t(
                  '{count, plural, one {# of them is revoked already} other {# of them are revoked already}}: revoking these for real leaves out what is revoked by then.',
                  { count: figures.already },
                )}
          </Text>
        )}
        {figures.approval > 0 && (
          <Alert
            color="yellow"
            variant="light"
            icon={<IconAlertTriangle size={18} aria-hidden />}
            title={t('Not all of them would be revoked at once')}
          >
            <Text inherit>{t('These templates say that others must agree to each revocation:')}</Text>
            <List>
              {figures.templates
                .filter(({ approvers }) => approvers > 0)
                .map(({ name: template, count, approvers }) => (
                  <List.Item key={`${template} ${approvers}`}>
                    {t(
                      '{template}: {count, plural, one {# certificate} other {# certificates}}, {approvers, plural, one {# approver} other {# approvers}}',
                      { template, count, approvers },
                    )}
                  </List.Item>
                ))}
            </List>
          </Alert>
        )}
      </Section>
      <Section title={t('Revocation lists')} intro={t('Their size when all of these stand on them.')}>
        <SmallTable
          label={t('Revocation lists')}
          rows={figures.authorities}
          rowId={(one) => one.caId}
          columns={[
            { label: t('Authority'), cell: (one) => one.name },
            { label: t('Certificates'), align: 'end', cell: (one) => formatNumber(one.count) },
            {
              label: t('List now'),
              cell: (one) =>
                t('{count, plural, one {# entry} other {# entries}}, {size}', { count: one.entriesNow, size: sizeText(one.bytesNow) }),
            },
            {
              label: t('List after'),
              cell: (one) =>
                t('{count, plural, one {# entry} other {# entries}}, {size}', { count: one.entriesAfter, size: sizeText(one.bytesAfter) }),
            },
            {
              label: t('Parts'),
              cell: (one) =>
                one.parts === 0 ? t('none') : t('{parts} of {size}', { parts: formatNumber(one.parts), size: sizeText(one.bytesOfPart) }),
            },
          ]}
        />
      </Section>
    </DetailPage>
  )
}
