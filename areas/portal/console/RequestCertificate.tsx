// What somebody without an account sees: behind a valid address the templates and a form, then a receipt; and for who asked already, where it stands.

import { Alert, Button, Stack, Text } from '@mantine/core'
import { IconInfoCircle, IconLinkOff } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import { longestRequest } from '#areas/templates/contract.ts'
import { asCallFault, CallFault } from '#core/console/call-fault.ts'
import { DownloadButton } from '#core/console/kit/DownloadButton.tsx'
import { SelectField, TagsField, TextAreaField, TextField } from '#core/console/kit/fields.tsx'
import { Form, type FormKit } from '#core/console/kit/Form.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { PemInput } from '#core/console/kit/PemInput.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { EmptyState, ErrorState, Loaded, LoadingState } from '#core/console/kit/states.tsx'
import { usePublicBrand, type PublicBrand } from '#core/console/public-brand.ts'
import { useCall } from '#core/console/queries.ts'
import { findScreen, roomsStore, useOffers } from '#core/console/rooms.ts'
import { send } from '#core/console/send.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { portal } from '../contract.ts'
import { portalPages } from '../pages.ts'
import { CollectRequest } from './CollectRequest.tsx'
import { receiptLink, receiptOf } from './receipt-link.ts'

type Offered = OutputOf<typeof portal.calls.templates>
type Placed = OutputOf<typeof portal.calls.request>

export function RequestCertificate() {
  const [search] = useSearchParams()
  const { hash } = useLocation()
  const code = search.get('code') ?? ''
  const [opened, setOpened] = useState<PublicBrand | CallFault>()
  const [placed, setPlaced] = useState<Placed>()
  useEffect(() => {
    if (code === '') return
    let gone = false
    send(portal.calls.openSession, { code }).then(
      ({ tenancyName: name, bannerColour, supportEmail }) => void (gone || setOpened({ name, bannerColour, supportEmail })),
      (error: unknown) => void (gone || setOpened(asCallFault(error))),
    )
    return () => void (gone = true)
  }, [code])
  const [collected, setCollected] = useState<PublicBrand>()
  const failed = opened instanceof CallFault
  usePublicBrand(failed ? collected : (opened ?? collected))

  if (placed !== undefined) return <Receipt placed={placed} again={() => setPlaced(undefined)} />
  return (
    <Page title={t('Request a certificate')}>
      <Stack gap="md">
        {code === '' ? (
          <Text>{t('To ask for a certificate, open the whole address that you were given.')}</Text>
        ) : opened === undefined ? (
          <LoadingState />
        ) : failed ? (
          <NotOpened fault={opened} />
        ) : (
          <>
            <Templates onPlaced={setPlaced} />
            <FurtherPages code={code} />
          </>
        )}
        <Section title={t('Have you asked already?')}>
          <CollectRequest key={hash} {...receiptOf(hash)} atOnce onBrand={setCollected} />
        </Section>
      </Stack>
    </Page>
  )
}

function FurtherPages({ code }: { code: string }) {
  const pages = useOffers(portalPages)
  const rooms = roomsStore()
  return pages.map(({ label, hint, area, screen }) => {
    const path = findScreen(rooms, area, screen)?.path
    return path === undefined ? undefined : (
      <Section key={path} title={t(label)} intro={t(hint)}>
        <LinkButton variant="default" to={`${path}?${new URLSearchParams({ code }).toString()}`}>
          {t(label)}
        </LinkButton>
      </Section>
    )
  })
}

const NotOpened = ({ fault }: { fault: CallFault }) =>
  fault.code === 'invalidCode' ? (
    <EmptyState
      icon={IconLinkOff}
      title={t('This address is not valid')}
      text={t('It may be incomplete, or a newer one was made. Ask whoever gave it to you for the present one.')}
    />
  ) : (
    <ErrorState fault={fault} />
  )

function Templates({ onPlaced }: { onPlaced: (placed: Placed) => void }) {
  const query = useCall(portal.calls.templates, {})
  return (
    <Loaded query={query}>
      {({ tenancyName, templates }) =>
        templates.length === 0 ? (
          <EmptyState
            title={t('Nothing is offered here now')}
            text={t('{tenancy} has opened no template to people without an account.', { tenancy: tenancyName })}
          />
        ) : (
          <>
            <Text>
              {t('From {tenancy}. Somebody there looks at each request before a certificate is issued.', { tenancy: tenancyName })}
            </Text>
            <Form
              call={portal.calls.request}
              initial={{ templateId: templates[0]?.templateId, csr: '', values: {}, contactEmail: '', comment: '' }}
              submit={t('Send request')}
              check={(values) => missing(values, templates)}
              ask={faultsOfRequest}
              onDone={onPlaced}
            >
              {(form) => <Fields form={form} templates={templates} />}
            </Form>
          </>
        )
      }
    </Loaded>
  )
}

/** What only the person can say is missed at once, together with the rest, and not after all else is right. */
function missing({ templateId, values = {} }: Values, templates: Offered['templates']): Record<string, string> {
  const template = templates.find((one) => one.templateId === templateId)
  if (template?.ignoreCsrDetails !== true) return {}
  const empty = template.asks.filter(({ source, required }) => required && (values[source] ?? []).every((text) => text.trim() === ''))
  return Object.fromEntries(empty.map(({ source }) => [`values.${source}`, t('Enter a value')]))
}

/** What is wrong with the request itself, while a name is still missing: nobody mends one fault after another. */
async function faultsOfRequest({ templateId, csr, values = {} }: Values): Promise<Record<string, string>> {
  if (csr.trim() === '') return {}
  const { faults } = await send(portal.calls.check, { templateId, csr, values })
  return Object.fromEntries(faults.toReversed().map(({ field, says }) => [field, t(says)]))
}

type Values = {
  templateId: string
  csr: string
  values?: Record<string, string[]> | undefined
  contactEmail?: string | undefined
  comment?: string | undefined
}

function Fields({ form, templates }: { form: FormKit<Values>; templates: Offered['templates'] }) {
  const template = templates.find(({ templateId }) => templateId === form.values.templateId)
  const typed = template?.asks ?? []
  return (
    <>
      <SelectField
        {...form.field('templateId')}
        label={t('What for')}
        required
        options={templates.map(({ templateId, displayName }) => ({ value: templateId, label: displayName }))}
      />
      <PemInput {...form.field('csr')} label={t('Certificate request (CSR)')} most={longestRequest} kind="CERTIFICATE REQUEST" required />
      {template !== undefined && (
        <Text size="sm" c="dimmed">
          {t('Keys that are taken: {keys}', { keys: template.keys.join(', ') })}
        </Text>
      )}
      {typed.map(({ source, label, required, many }) => {
        const field = form.field(`values.${source}`)
        const value = field.value ?? []
        const error = field.error ?? value.map((_, at) => form.error(`values.${source}.${at}`)).find((says) => says !== undefined)
        const needed = required && template?.ignoreCsrDetails === true
        const hint =
          template?.ignoreCsrDetails === true
            ? t('Enter it here: nothing is taken from the names in the request.')
            : t('Left empty, that of the request is taken.')
        return many ? (
          <TagsField key={source} {...field} error={error} value={value} label={t(label)} hint={hint} required={needed} />
        ) : (
          <TextField
            key={source}
            {...field}
            error={error}
            value={value[0] ?? ''}
            onChange={(text) => field.onChange(text === undefined || text === '' ? [] : [text])}
            label={t(label)}
            hint={hint}
            required={needed}
          />
        )
      })}
      <Alert variant="light" color="blue" icon={<IconInfoCircle size={18} aria-hidden />} title={t('How you learn what becomes of it')}>
        {t(
          'No mail is sent, with or without your address. Once the request is sent, this page shows a link with a secret: it is the only way to see the decision and to collect the certificate. Copy it or save it as a file then.',
        )}
      </Alert>
      <TextField
        {...form.field('contactEmail')}
        type="email"
        label={t('Your e-mail address')}
        hint={t('So that they can ask you. The decision is not sent there.')}
      />
      <TextAreaField
        {...form.field('comment')}
        label={t('Comment')}
        hint={t('Say who you are and what it is for: somebody decides by it.')}
      />
    </>
  )
}

function Receipt({ placed, again }: { placed: Placed; again: () => void }) {
  const link = receiptLink(placed)
  return (
    <Page title={t('Request sent')}>
      <Stack gap="md">
        <Text>
          {t(
            'It waits for somebody to decide, and no mail tells you of it. Keep this link: with it you see where the request stands, and collect the certificate. It is shown only now, and whoever has it sees the same.',
          )}
        </Text>
        <Section>
          <Facts
            items={[
              { label: t('Link'), value: <Mono value={link} />, copy: link },
              { label: t('Request id'), value: <Mono value={placed.requestId} />, copy: placed.requestId },
              { label: t('Secret'), value: <Mono value={placed.secret} />, copy: placed.secret },
            ]}
          />
          <DownloadButton
            label={t('Save the link as a file')}
            fileName={`request-${placed.requestId}.txt`}
            from={() => new Blob([`${link}\n`], { type: 'text/plain' })}
          />
        </Section>
        <Section title={t('Status')}>
          <CollectRequest requestId={placed.requestId} secret={placed.secret} />
        </Section>
        <Button variant="default" onClick={again}>
          {t('Request another')}
        </Button>
      </Stack>
    </Page>
  )
}
