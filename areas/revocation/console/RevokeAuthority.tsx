// Taking back the certificate of an authority: what falls with it stands above the button, and its name is typed. A root cannot be revoked, and
// what can be done instead stands there.

import { Alert, List, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react'
import { useParams } from 'react-router'
import { authorities } from '#areas/authorities/contract.ts'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DownloadButton } from '#core/console/kit/DownloadButton.tsx'
import { RadioField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { goTo } from '#core/console/navigate.ts'
import { useCall } from '#core/console/queries.ts'
import { fileStem } from '#core/console/save-file.ts'
import { send } from '#core/console/send.ts'
import { formatNumber, t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { revocation } from '../contract.ts'
import { isReason, reasonTexts } from '../rules.ts'

type Options = OutputOf<typeof revocation.calls.authorityOptions>

export function RevokeAuthority() {
  const { id = '' } = useParams()
  const query = useCall(revocation.calls.authorityOptions, { caId: id })
  return (
    <Page title={t('Revoke authority')} narrow>
      <Loaded query={query}>{(options) => <RevokeOne options={options} />}</Loaded>
    </Page>
  )
}

const viewed = (caId: string): string => to(authorities.screens.manage, { id: caId })

function RevokeOne({ options }: { options: Options }) {
  const { caId, friendlyName, issuerName, refusal, says, certificates, valid, below, reasons, revocation: revoked } = options
  return (
    <Stack gap="md">
      <Section title={t('Authority')}>
        <Facts
          items={[
            { label: t('Authority'), value: <TextLink to={viewed(caId)}>{friendlyName}</TextLink> },
            issuerName !== '' && { label: t('Signed by'), value: issuerName },
            {
              label: t('Valid certificates below it'),
              value: valid.more ? t('more than {count}', { count: formatNumber(valid.count) }) : formatNumber(valid.count),
            },
            { label: t('Authorities below it'), value: below.length === 0 ? t('none') : below.map((one) => one.friendlyName).join(', ') },
            revoked !== undefined && {
              label: t('Revoked'),
              value: (
                <>
                  <DateTime at={revoked.at} />, {isReason(revoked.reason) ? t(reasonTexts[revoked.reason].label) : revoked.reason}
                </>
              ),
            },
          ]}
        />
      </Section>
      {refusal !== undefined ? (
        <>
          <Alert color="gray" variant="light" icon={<IconInfoCircle size={18} aria-hidden />} title={t('It cannot be revoked here')}>
            {t(says)}
          </Alert>
          {refusal === 'root' && (
            <Section title={t('What can be done instead')}>
              <List size="sm">
                <List.Item>{t('Switch off issuing on its page: it signs nothing more from that moment.')}</List.Item>
                <List.Item>{t('Revoke the authorities below it; that is told by its lists and OCSP answers.')}</List.Item>
                <List.Item>
                  {t('Give everyone who trusts it the sheet below: how to recognise it, and how to take it out of their stores.')}
                </List.Item>
              </List>
              <div>
                <DownloadButton
                  label={t('Download distrust sheet')}
                  fileName={`${fileStem(friendlyName)}-distrust.txt`}
                  from={() => fetchSheet(caId)}
                />
              </div>
            </Section>
          )}
        </>
      ) : (
        <Section title={t('Revoke')}>
          <Alert color="red" variant="light" icon={<IconAlertTriangle size={18} aria-hidden />} title={t('This cannot be undone')}>
            <Stack gap={4}>
              <Text inherit>
                {t(
                  '{count, plural, =0 {No certificate below it is valid now.} one {One certificate that is valid now will be trusted no more.} other {# certificates that are valid now will be trusted no more.}}',
                  { count: valid.count },
                )}
              </Text>
              <Text inherit>
                {t(
                  '{count, plural, one {Its certificate is put on the list of its issuer, and OCSP says so at once.} other {Its # certificates are put on the lists of their issuers, and OCSP says so at once.}}',
                  { count: certificates },
                )}
              </Text>
              <Text inherit>
                {t(
                  'It issues nothing more, nor does what stands below it. Its own lists and answers go on. Nobody below is written to: tell them yourself.',
                )}
              </Text>
            </Stack>
          </Alert>
          <Form
            call={revocation.calls.revokeAuthority}
            initial={{ caId, confirm: '' }}
            submit={t('Revoke authority')}
            cancel={{ label: t('Keep authority'), to: viewed(caId) }}
            danger
            invalidates={['authorities', 'certificates', 'home', 'visualiser']}
            onDone={() => goTo(viewed(caId))}
          >
            {(form) => (
              <>
                <RadioField
                  {...form.field('reason')}
                  label={t('Reason')}
                  required
                  options={reasons.map((value) => ({ value, label: t(reasonTexts[value].label), hint: t(reasonTexts[value].hint) }))}
                />
                <TextField
                  {...form.field('confirm')}
                  label={t('Type the name of the authority: {name}', { name: friendlyName })}
                  required
                />
              </>
            )}
          </Form>
        </Section>
      )}
    </Stack>
  )
}

async function fetchSheet(caId: string): Promise<Blob> {
  const { content, mediaType } = await send(revocation.calls.distrustSheet, { caId })
  return new Blob([Uint8Array.from(atob(content), (character) => character.charCodeAt(0))], { type: mediaType })
}
