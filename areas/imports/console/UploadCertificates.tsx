// Certificates of other issuers: shown as soon as they are pasted, saved when the person says so.

import { Alert, Button, CloseButton, Group, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconAlertTriangle, IconCertificate } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import { certificates } from '#areas/certificates/contract.ts'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { LinkButton, TextLink } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { PemInput, type TakenFile } from '#core/console/kit/PemInput.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { EmptyState, FaultAlert } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { changed, useCall } from '#core/console/queries.ts'
import { formatNumber, t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { imports } from '../contract.ts'
import { largestUpload } from '../rules.ts'

type Uploaded = OutputOf<typeof imports.calls.upload>
type Faults = Uploaded['faults']
type NamedFile = { name: string; content: string }
/** A file that stays where it is, and why, as a sentence that names it. */
type Left = { name: string; says: string }

const waitMilliseconds = 400
const inventory = to(searchScreen, { searchType: 'certificate' })

export function UploadCertificates() {
  const [uploaded, setUploaded] = useState<Uploaded>()
  /** Files that were not taken, and so are not sent. */
  const [left, setLeft] = useState<readonly Left[]>([])
  return (
    <Page title={t('Upload certificates')} intro={t('Certificates that others issued, kept here so that their end is not forgotten.')}>
      {uploaded === undefined ? (
        <Form
          call={imports.calls.upload}
          initial={{ text: '', files: [], friendlyName: '', contactEmail: '' }}
          submit={t('Save certificates')}
          cancel={{ label: t('Cancel'), to: inventory }}
          onDone={(answer) => {
            changed('certificates', 'search', 'home')
            setUploaded(answer)
          }}
        >
          {(form) => (
            <>
              <PemInput
                {...form.field('text')}
                label={t('Certificates')}
                hint={t('PEM, DER or PKCS#7, one or many. Paste them here, or drop or choose files')}
                most={largestUpload}
                required={filesOf(form.values).length === 0}
                onFiles={(taken) => {
                  form.clearErrors('text')
                  const { files, refused } = withFiles(filesOf(form.values), taken, (form.values.text ?? '').length)
                  form.set('files', files)
                  setLeft([...left.filter(({ name }) => !taken.some((file) => file.name === name)), ...refused])
                }}
              />
              <Chosen files={filesOf(form.values)} take={(files) => form.set('files', files)} />
              <LeftOut sentences={left.map(({ says }) => says)} />
              {form.error('text') === undefined && <Content text={form.values.text ?? ''} files={filesOf(form.values)} />}
              <TextField
                {...form.field('contactEmail')}
                label={t('Contact')}
                hint={t('Who else is notified before they expire')}
                type="email"
              />
              <TextField {...form.field('friendlyName')} label={t('Display name')} hint={t('A word to find them by again')} />
            </>
          )}
        </Form>
      ) : (
        <Saved uploaded={uploaded} left={left} again={() => (setLeft([]), setUploaded(undefined))} />
      )}
    </Page>
  )
}

const filesOf = ({ files }: { files?: readonly NamedFile[] | undefined }): NamedFile[] => [...(files ?? [])]

/** The files so far and those that were added, as far as there is room for them. Of two of one name the later is called otherwise. */
function withFiles(before: readonly NamedFile[], added: readonly TakenFile[], pasted: number): { files: NamedFile[]; refused: Left[] } {
  const files = [...before]
  const refused: Left[] = []
  let length = files.reduce((sum, { content }) => sum + content.length, pasted)
  for (const { name: whole, content, says } of added) {
    const name = whole.slice(0, longestName)
    if (says !== undefined) refused.push({ name, says })
    else if (length + content.length > largestUpload)
      refused.push({
        name,
        says: t('{name} was not taken: an upload has at most {most} characters. Upload it afterwards', {
          name,
          most: formatNumber(largestUpload),
        }),
      })
    else {
      const others = new Set(files.map((file) => file.name))
      let own = name
      for (let count = 2; others.has(own); count += 1) own = `${name} (${count})`
      length += content.length
      files.push({ name: own, content })
    }
  }
  return { files, refused }
}
const longestName = 240

function Chosen({ files, take }: { files: readonly NamedFile[]; take: (files: NamedFile[]) => void }) {
  if (files.length === 0) return null
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500} id="chosen-files">
        {t('{count, plural, one {# file} other {# files}}', { count: files.length })}
      </Text>
      <ul aria-labelledby="chosen-files" style={{ listStyle: 'none', margin: 0, padding: 0 }}>
        {files.map(({ name }) => (
          <li key={name}>
            <Group gap="xs" wrap="nowrap">
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {name}
              </Text>
              <CloseButton
                size="sm"
                aria-label={t('Remove {name}', { name })}
                onClick={() => take(files.filter((file) => file.name !== name))}
              />
            </Group>
          </li>
        ))}
      </ul>
    </Stack>
  )
}

/** What is in text and files, as the server reads it. */
function Content({ text, files }: { text: string; files: readonly NamedFile[] }) {
  const [settled] = useDebouncedValue(text.trim(), waitMilliseconds)
  const nothing = settled === '' && files.length === 0
  const query = useCall(imports.calls.check, { text: settled, files: [...files] }, { enabled: !nothing, keepPrevious: true })
  const [wrong] = query.error?.fields ?? []
  // What is wrong with the text is nothing to look up in a log.
  if (wrong !== undefined)
    return (
      <Alert color="red" variant="light" role="alert" icon={<IconAlertTriangle size={18} aria-hidden />}>
        {t(wrong.says)}
      </Alert>
    )
  if (nothing || query.data === undefined) return <FaultAlert fault={query.error ?? undefined} />
  const { found, faults } = query.data
  return (
    <Section title={t('{count, plural, one {# certificate} other {# certificates}}', { count: found.length })}>
      <Stack gap="sm">
        <FaultAlert fault={query.error ?? undefined} />
        <LeftOut sentences={faults.map(sentenceOf)} />
        {found.length > 0 && (
          <SmallTable
            label={t('What is in it')}
            rows={found}
            rowId={({ sha256 }) => sha256}
            columns={[
              {
                label: t('Name'),
                cell: ({ name, subject, certificateId }) => (
                  <Name whole={subject}>
                    {certificateId === undefined ? (
                      name
                    ) : (
                      <TextLink to={to(certificates.screens.view, { certId: certificateId })}>{name}</TextLink>
                    )}
                  </Name>
                ),
              },
              ...(files.length === 0
                ? []
                : [{ label: t('File'), cell: ({ file = '' }: (typeof found)[number]) => <Name whole={file}>{file}</Name> }]),
              {
                label: t('Issuer'),
                cell: ({ issuer, issuerKnown, signedBy }) => (
                  <>
                    <Name whole={issuer}>{issuer}</Name>
                    {(signedBy !== undefined || !issuerKnown) && (
                      <Text size="sm" c="dimmed">
                        {signedBy === undefined ? t('Not known here') : t('One of our own: {name}', { name: signedBy })}
                      </Text>
                    )}
                  </>
                ),
              },
              { label: t('Valid until'), cell: ({ notAfter }) => <DateTime at={notAfter} dateOnly /> },
              {
                label: t('Here'),
                aside: true,
                cell: ({ state }) =>
                  state === 'new' ? (
                    <Status of="pending" label={t('New')} />
                  ) : (
                    <Status of="done" label={state === 'ours' ? t('Already ours') : t('Already known')} />
                  ),
              },
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

function LeftOut({ sentences }: { sentences: readonly string[] }) {
  if (sentences.length === 0) return null
  return (
    <Alert
      color="yellow"
      title={t('{count, plural, one {# piece is left out} other {# pieces are left out}}', { count: sentences.length })}
    >
      {[...new Set(sentences)].map((says) => (
        <Text key={says} size="sm" style={{ overflowWrap: 'anywhere' }}>
          {says}
        </Text>
      ))}
    </Alert>
  )
}

function sentenceOf({ file, place, says: fault }: Faults[number]): string {
  const says = t(fault)
  if (file === undefined) return t('Piece {place}: {says}', { place: place ?? 1, says })
  return place === undefined ? t('{file}: {says}', { file, says }) : t('{file}, piece {place}: {says}', { file, place, says })
}

function Saved({ uploaded: { added, known, faults }, left, again }: { uploaded: Uploaded; left: readonly Left[]; again: () => void }) {
  return (
    <Stack gap="md">
      <EmptyState
        icon={IconCertificate}
        title={t('{count, plural, one {# certificate saved} other {# certificates saved}}', { count: added.length })}
        text={
          known === 0
            ? t('They are in the inventory now.')
            : t('{count, plural, one {# was} other {# were}} there already.', { count: known })
        }
        action={<LinkButton to={inventory}>{t('Open the inventory')}</LinkButton>}
      />
      <LeftOut sentences={[...left.map(({ says }) => says), ...faults.map(sentenceOf)]} />
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
