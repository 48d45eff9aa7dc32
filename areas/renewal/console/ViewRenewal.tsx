// The renewal of one certificate: the verdict, what can be done about it, and what was tried. The mail to holders leads here.

import { Alert, Stack, Table, Text } from '@mantine/core'
import { IconCertificate2 } from '@tabler/icons-react'
import { useNavigate, useParams } from 'react-router'
import { certificates } from '#areas/certificates/contract.ts'
import { longestRequest } from '#areas/templates/contract.ts'
import { renewalModes } from '#areas/templates/rules.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { DateTime, WithDates } from '#core/console/kit/DateTime.tsx'
import { DetailPage } from '#core/console/kit/DetailPage.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { PemInput } from '#core/console/kit/PemInput.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { changed, useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { renewal, type RenewalInfo } from '../contract.ts'
import { stateLabels } from '../rules.ts'
import { Neighbours } from './Neighbours.tsx'
import { RenewalStep } from './RenewalStep.tsx'
import { useRenewedPath } from './renewed-path.ts'
import { kindOfState, toneOf } from './status-styles.ts'

export function ViewRenewal() {
  const { certId = '' } = useParams()
  const may = useMay()
  const query = useCall(renewal.calls.info, { certId })
  if (query.data === undefined)
    return (
      <Page title={t('Renewal')}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    )
  const info = query.data
  return (
    <DetailPage
      title={t('Renewal of {name}', { name: info.name })}
      status={<Status of={info.status} />}
      actions={[
        may('certView', 'View') && {
          label: t('Show certificate'),
          icon: IconCertificate2,
          to: to(certificates.screens.view, { certId: info.certificateId }),
        },
      ]}
    >
      <Stack gap="md">
        <Alert
          color={toneOf(info.verdict.kind)}
          variant="light"
          title={info.status === 'expired' && info.renewedBy === undefined ? t('Why was this not renewed?') : t('Status')}
        >
          <Stack gap="xs" align="flex-start">
            <Text inherit style={{ overflowWrap: 'anywhere' }}>
              <WithDates text={t(info.verdict.says)} />
            </Text>
            <Neighbours info={info} />
            <RenewalStep info={info} answer={false} />
          </Stack>
        </Alert>
        {info.step === 'answer' && <NewKey info={info} />}
        <Section title={t('Certificate')}>
          <Facts
            items={[
              { label: t('Serial number'), value: <Mono value={info.serialNumber} />, copy: info.serialNumber },
              { label: info.entity === 'user' ? t('Holder') : t('Requested by'), value: info.holder },
              { label: t('Template'), value: info.templateName },
              { label: t('Renewal'), value: t(renewalModes[info.mode]) },
              info.mode !== 'NONE' && { label: t('Can be renewed from'), value: <DateTime at={info.opensAt} /> },
              { label: t('Valid until'), value: <DateTime at={info.notAfter} /> },
            ]}
          />
        </Section>
        <Attempts info={info} />
      </Stack>
    </DetailPage>
  )
}

/** The holder's answer: a request of the new key. */
function NewKey({ info }: { info: RenewalInfo }) {
  const navigate = useNavigate()
  const pathOf = useRenewedPath()
  return (
    <Section
      title={t('A request of the new key')}
      intro={t(
        'Make a new key where the old one is used, and a certificate request (CSR) from it. The names stay those of the certificate.',
      )}
    >
      <Form
        call={renewal.calls.renew}
        initial={{ certId: info.certificateId, csr: '' }}
        submit={t('Renew with this key')}
        guard={false}
        onDone={(renewed) => {
          changed('renewal', 'certificates')
          if (renewed.state !== 'denied') void navigate(pathOf(info, renewed))
        }}
      >
        {(form) => (
          <PemInput
            {...form.field('csr')}
            label={t('Certificate request (CSR)')}
            most={longestRequest}
            kind="CERTIFICATE REQUEST"
            required
          />
        )}
      </Form>
    </Section>
  )
}

function Attempts({ info: { attempts } }: { info: RenewalInfo }) {
  return (
    <Section title={t('Attempts')}>
      {attempts.length === 0 ? (
        <Text c="dimmed">{t('Nothing was tried yet.')}</Text>
      ) : (
        <Table aria-label={t('Attempts')} verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t('State')}</Table.Th>
              <Table.Th scope="col">{t('What happened')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {attempts.map((attempt) => (
              <Table.Tr key={attempt.renewalId}>
                <Table.Td style={{ verticalAlign: 'top' }}>
                  <Status of={kindOfState[attempt.state]} label={t(stateLabels[attempt.state])} />
                </Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  {attempt.reason !== '' && (
                    <Text size="sm">
                      <WithDates text={t(attempt.reason)} />
                    </Text>
                  )}
                  <Text size="sm" c="dimmed">
                    {attempt.askedBy}, <DateTime at={attempt.begunAt} />
                  </Text>
                  {attempt.tries > 1 && (
                    <Text size="sm" c="dimmed">
                      {t('{tries} tries, the last', { tries: attempt.tries })} <DateTime at={attempt.updatedAt} />
                    </Text>
                  )}
                  {attempt.nextAttemptAt !== undefined && (
                    <Text size="sm" c="dimmed">
                      {t('Next try')} <DateTime at={attempt.nextAttemptAt} />
                    </Text>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Section>
  )
}
