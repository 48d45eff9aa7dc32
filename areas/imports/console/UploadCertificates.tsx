// Certificates of other issuers: shown as soon as they are pasted, saved when the person says so.

import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconAlertTriangle, IconCertificate } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import { to } from '#core/contract/paths.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { searchScreen } from '#core/contract/search.ts'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { LinkButton, TextLink } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { PemInput } from '#core/console/kit/PemInput.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { EmptyState, FaultAlert } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { changed, useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { imports } from '../contract.ts'
import { largestUpload } from '../rules.ts'

type Uploaded = OutputOf<typeof imports.calls.upload>
type Faults = Uploaded['faults']

const waitMilliseconds = 400
const inventory = to(searchScreen, { searchType: 'certificate' })

export function UploadCertificates() {
  const [uploaded, setUploaded] = useState<Uploaded>()
  return (
    <Page title={t('Upload certificates')} intro={t('Certificates that others issued, kept here so that their end is not forgotten.')}>
      {uploaded === undefined ? (
        <Form
          call={imports.calls.upload}
          initial={{ text: '', friendlyName: '', contactEmail: '' }}
          submit={t('Save certificates')}
          cancel={{ label: t('Cancel'), to: inventory }}
          onDone={(answer) => {
            changed('certificates', 'search', 'home')
            setUploaded(answer)
          }}
        >
          {(form) => (
            <>
              <PemInput {...form.field('text')} label={t('Certificates')} hint={t('PEM, DER or PKCS#7, one or many. Paste them here, or drop or choose files')} most={largestUpload} many required />
              {form.error('text') === undefined && <Content text={form.values.text ?? ''} />}
              <TextField {...form.field('contactEmail')} label={t('Contact')} hint={t('Who is told before they end, besides you')} type="email" />
              <TextField {...form.field('friendlyName')} label={t('Known as')} hint={t('A word to find them by again')} />
            </>
          )}
        </Form>
      ) : (
        <Saved uploaded={uploaded} again={() => setUploaded(undefined)} />
      )}
    </Page>
  )
}

/** What is in the text, as the server reads it. */
function Content({ text }: { text: string }) {
  const [settled] = useDebouncedValue(text.trim(), waitMilliseconds)
  const query = useCall(imports.calls.check, { text: settled }, { enabled: settled !== '', keepPrevious: true })
  const [wrong] = query.error?.fields ?? []
  // What is wrong with the text is nothing to look up in a log.
  if (wrong !== undefined) return <Alert color="red" variant="light" role="alert" icon={<IconAlertTriangle size={18} aria-hidden />}>{wrong.says}</Alert>
  if (settled === '' || query.data === undefined) return <FaultAlert fault={query.error ?? undefined} />
  const { found, faults } = query.data
  return (
    <Section title={t('{count, plural, one {# certificate} other {# certificates}}', { count: found.length })}>
      <Stack gap="sm">
        <FaultAlert fault={query.error ?? undefined} />
        <Unreadable faults={faults} />
        {found.length > 0 && (
          <SmallTable
            label={t('What is in it')}
            rows={found}
            rowId={({ sha256 }) => sha256}
            columns={[
              { label: t('Name'), cell: ({ name, subject, certificateId }) => <Name whole={subject}>{certificateId === undefined ? name : <TextLink to={to(certificates.screens.view, { certId: certificateId })}>{name}</TextLink>}</Name> },
              { label: t('Issuer'), cell: ({ issuer }) => <Name whole={issuer}>{issuer}</Name> },
              { label: t('Valid until'), cell: ({ notAfter }) => <DateTime at={notAfter} dateOnly /> },
              { label: t('Here'), aside: true, cell: ({ state }) => (state === 'new' ? <Status of="pending" label={t('New')} /> : <Status of="done" label={state === 'ours' ? t('Ours already') : t('Known already')} />) },
            ]}
          />
        )}
      </Stack>
    </Section>
  )
}

/** Others name theirs as they like: two lines of it are enough to know it by. */
function Name({ whole, children }: { whole: string; children: ReactNode }) {
  return (
    <Text inherit component="span" lineClamp={2} maw={400} title={whole} style={{ overflowWrap: 'anywhere' }}>
      {children}
    </Text>
  )
}

function Unreadable({ faults }: { faults: Faults }) {
  if (faults.length === 0) return null
  return (
    <Alert color="yellow" title={t('{count, plural, one {# piece is left out} other {# pieces are left out}}', { count: faults.length })}>
      {faults.map(({ place, says }) => (
        <Text key={place} size="sm">
          {t('Piece {place}: {says}', { place, says })}
        </Text>
      ))}
    </Alert>
  )
}

function Saved({ uploaded: { added, known, faults }, again }: { uploaded: Uploaded; again: () => void }) {
  return (
    <Stack gap="md">
      <EmptyState
        icon={IconCertificate}
        title={t('{count, plural, one {# certificate saved} other {# certificates saved}}', { count: added.length })}
        text={known === 0 ? t('They stand in the inventory now.') : t('{count, plural, one {# was} other {# were}} there already.', { count: known })}
        action={<LinkButton to={inventory}>{t('Open the inventory')}</LinkButton>}
      />
      <Unreadable faults={faults} />
      <Text component="ul" size="sm">
        {added.map(({ certificateId, name }) => (
          <li key={certificateId}>
            <TextLink to={to(certificates.screens.view, { certId: certificateId })}>{name}</TextLink>
          </li>
        ))}
      </Text>
      <Group>
        <Button variant="default" onClick={again}>
          {t('Upload more')}
        </Button>
      </Group>
    </Stack>
  )
}
