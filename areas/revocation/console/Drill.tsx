// The report of one drill, and the way from it to the real thing.

import { Alert, List, Table, Text } from '@mantine/core'
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
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { formatNumber, t } from '#core/console/text.ts'
import { revocation } from '../contract.ts'
import type { DrillShown } from '../drills.ts'
import { revokeAction } from '../rules.ts'
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

function Report({ drill }: { drill: DrillShown }) {
  const [fault, setFault] = useState<CallFault>()
  const { name, at, by, figures, query } = drill
  const inEarnest = queryInEarnest(query)
  const real = () => inEarnest && void prepareRun(revokeAction, { selectAll: true }, inEarnest).catch((error: unknown) => setFault(asCallFault(error)))
  return (
    <DetailPage
      title={name === '' ? t('Revocation drill') : name}
      intro={<>{t('Held by {by}', { by })}, <DateTime at={at} /></>}
      buttons={<DownloadButton label={t('Download report')} fileName={`revocation-drill-${at.slice(0, 10)}.csv`} from={() => new Blob([`\u{feff}${csvText(reportRows(drill))}`], { type: 'text/csv;charset=utf-8' })} />}
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
            : t('At {rate} certificates a second. No bulk revocation here has been long enough to measure.', { rate: formatNumber(figures.rowsPerSecond) })}
        </Text>
        {figures.already > 0 && (
          <Text size="sm">
            {inEarnest === undefined
              ? t('All of these are revoked already: nothing is left to revoke for real.')
              : t('{count, plural, one {# of them is revoked already} other {# of them are revoked already}}: revoking these for real leaves out what is revoked by then.', { count: figures.already })}
          </Text>
        )}
        {figures.approval > 0 && (
          <Alert color="yellow" variant="light" icon={<IconAlertTriangle size={18} aria-hidden />} title={t('Not all of them would be revoked at once')}>
            <Text inherit>{t('These templates say that others must agree to each revocation:')}</Text>
            <List>
              {figures.templates
                .filter(({ approvers }) => approvers > 0)
                .map(({ name: template, count, approvers }) => (
                  <List.Item key={`${template} ${approvers}`}>{t('{template}: {count, plural, one {# certificate} other {# certificates}}, {approvers, plural, one {# approver} other {# approvers}}', { template, count, approvers })}</List.Item>
                ))}
            </List>
          </Alert>
        )}
      </Section>
      <Section title={t('Revocation lists')} intro={t('Their size when all of these stand on them.')}>
        <Table.ScrollContainer minWidth={560} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('Authority')}</Table.Th>
                <Table.Th>{t('Certificates')}</Table.Th>
                <Table.Th>{t('List now')}</Table.Th>
                <Table.Th>{t('List after')}</Table.Th>
                <Table.Th>{t('Parts')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {figures.authorities.map((one) => (
                <Table.Tr key={one.caId}>
                  <Table.Td>{one.name}</Table.Td>
                  <Table.Td>{formatNumber(one.count)}</Table.Td>
                  <Table.Td>{t('{count, plural, one {# entry} other {# entries}}, {size}', { count: one.entriesNow, size: sizeText(one.bytesNow) })}</Table.Td>
                  <Table.Td>{t('{count, plural, one {# entry} other {# entries}}, {size}', { count: one.entriesAfter, size: sizeText(one.bytesAfter) })}</Table.Td>
                  <Table.Td>{one.parts === 0 ? t('none') : t('{parts} of {size}', { parts: formatNumber(one.parts), size: sizeText(one.bytesOfPart) })}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Section>
    </DetailPage>
  )
}
