// The designer of a face: both sides as they will be printed, for a person or an invented one, with the elements to be dragged over them.

import { Button, Group, List, SimpleGrid, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useParams } from 'react-router'
import { usePersonSearch } from '#areas/users/person-search.tsx'
import { useMay } from '#core/console/bootstrap.ts'
import { NumberField, SelectField, TextField } from '#core/console/kit/fields.tsx'
import { Form, type FormKit } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { FaceDesign, printing } from '../contract.ts'
import { cardSize, elementKinds, kindLabels, mostElements, nameOnCard, placeholders, warningLabels, type ElementKind } from '../rules.ts'
import { FaceStage, type FaceElement } from './FaceStage.tsx'

type Face = OutputOf<typeof printing.calls.face>
type Values = Pick<Face, 'front' | 'back'>
type Side = 'front' | 'back'

const drawMilliseconds = 400

export function CardFace() {
  const { id = '' } = useParams()
  const query = useCall(printing.calls.face, { cardTemplateId: id })
  return (
    <Page title={t('Face of a card')}>
      <Loaded query={query}>{(face) => <Designer key={face.version} id={id} face={face} />}</Loaded>
    </Page>
  )
}

function Designer({ id, face }: { id: string; face: Face }) {
  const { front, back, version, name } = face
  const [userId, setUserId] = useState<string>()
  return (
    <Stack>
      <Text c="dimmed">{t('Template of cards: {name}', { name })}</Text>
      <Form
        call={printing.calls.setFace}
        initial={{ front, back } as Values}
        toInput={(values: Values) => ({ ...values, cardTemplateId: id, ...(version === 0 ? {} : { version }) })}
        submit={t('Save face')}
        onDone={() => {}}
      >
        {(form) => (
          <>
            <Whom userId={userId} onChange={setUserId} />
            <Sides form={form} id={id} userId={userId} />
          </>
        )}
      </Form>
    </Stack>
  )
}

/** Whose card is shown. */
function Whom({ userId, onChange }: { userId: string | undefined; onChange: (id: string | undefined) => void }) {
  const may = useMay()
  const { options, onSearch } = usePersonSearch()
  if (!may('userView')) return null
  return (
    <SelectField
      name="shownFor"
      value={userId}
      error={undefined}
      onBlur={() => {}}
      onChange={(value) => onChange(value)}
      label={t('Show it for')}
      hint={t('Empty: an invented person')}
      options={options}
      onSearch={onSearch}
    />
  )
}

function Sides({ form, id, userId }: { form: FormKit<Values>; id: string; userId: string | undefined }) {
  const { front, back } = form.values
  const [design] = useDebouncedValue(JSON.stringify({ front, back }), drawMilliseconds)
  const valid = FaceDesign.safeParse(JSON.parse(design))
  const preview = useCall(
    printing.calls.preview,
    { ...(valid.data ?? { front: {}, back: {} }), cardTemplateId: id, ...(userId === undefined ? {} : { userId }) },
    { keepPrevious: true, enabled: valid.success },
  )
  const { frontCompressed, backCompressed, warnings = [] } = preview.data ?? {}
  return (
    <>
      {warnings.length > 0 && (
        <Section title={t('What would go wrong in print')}>
          <List aria-label={t('What would go wrong in print')}>
            {warnings.map(({ side, element, warning }) => (
              <List.Item key={`${side} ${element} ${warning}`}>
                {t('{side}, element {no, number}: {what}', {
                  side: side === 'front' ? t('Front') : t('Back side'),
                  no: element + 1,
                  what: t(warningLabels[warning]),
                })}
              </List.Item>
            ))}
          </List>
        </Section>
      )}
      <SideFields form={form} side="front" title={t('Front')} picture={frontCompressed} />
      <SideFields form={form} side="back" title={t('Back side')} picture={backCompressed} />
    </>
  )
}

/** Where a new element lies, by its kind, so that it can be read as it comes. */
const fresh: Readonly<Record<ElementKind, Pick<FaceElement, 'width' | 'height' | 'text' | 'colour'>>> = {
  text: { width: 60, height: 6, text: nameOnCard, colour: '#000000' },
  photo: { width: 24, height: 32, text: '', colour: '#000000' },
  barcode: { width: 60, height: 10, text: '', colour: '#000000' },
  qr: { width: 24, height: 24, text: '', colour: '#000000' },
  box: { width: 85.6, height: 9, text: '', colour: '#1f4fbf' },
}
const codeOf: FaceElement['text'] = `{${placeholders[2]}}`

function SideFields({ form, side, title, picture }: { form: FormKit<Values>; side: Side; title: string; picture: string | undefined }) {
  const { elements, background } = form.values[side]
  const [selected, setSelected] = useState<number>()
  const set = (next: Values['front']['elements']) => form.set(`${side}.elements`, next)
  const change = (at: number, box: Partial<FaceElement>) =>
    set(elements.map((element, other) => (other === at ? { ...element, ...box } : element)))
  const add = (kind: ElementKind) => {
    const y = kind === 'box' ? 0 : Math.min(5 + elements.length * 8, 20)
    const text = kind === 'qr' || kind === 'barcode' ? codeOf : fresh[kind].text
    set([...elements, { kind, x: kind === 'box' ? 0 : 5, y, ...fresh[kind], text }])
    setSelected(elements.length)
  }
  // Fields of the element that is meant, and of those in which something is wrong.
  const isOpen = (at: number): boolean =>
    at === selected ||
    (['x', 'y', 'width', 'height', 'text', 'colour'] as const).some((key) => form.error(`${side}.elements.${at}.${key}`) !== undefined)
  return (
    <Section title={title} intro={t('Drag the elements, or move them with the arrow keys; with Shift the arrow keys change the size.')}>
      <FaceStage
        title={title}
        background={background}
        elements={elements}
        picture={picture}
        selected={selected}
        onSelect={setSelected}
        onChange={change}
      />
      <Group gap="xs">
        {elementKinds.map((kind) => (
          <Button key={kind} size="xs" variant="default" disabled={elements.length >= mostElements} onClick={() => add(kind)}>
            {t('Add to {side}: {kind}', { side: title, kind: t(kindLabels[kind]) })}
          </Button>
        ))}
      </Group>
      {elements.map(
        (element, at) =>
          isOpen(at) && (
            <ElementFields
              key={at}
              form={form}
              side={side}
              title={title}
              at={at}
              kind={element.kind}
              onRemove={() => {
                set(elements.filter((__, other) => other !== at))
                setSelected(undefined)
              }}
            />
          ),
      )}
      <TextField {...form.field(`${side}.background`)} label={t('Background of {side}', { side: title })} />
    </Section>
  )
}

function ElementFields({
  form,
  side,
  title,
  at,
  kind,
  onRemove,
}: {
  form: FormKit<Values>
  side: Side
  title: string
  at: number
  kind: ElementKind
  onRemove: () => void
}) {
  const of = (label: string) => t('{label}, {side} {no, number}', { label, side: title, no: at + 1 })
  const names = placeholders.map((one) => `{${one}}`).join(', ')
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }}>
      <SelectField
        {...form.field(`${side}.elements.${at}.kind`)}
        label={of(t('Kind'))}
        options={elementKinds.map((value) => ({ value, label: t(kindLabels[value]) }))}
        required
      />
      {kind !== 'photo' && kind !== 'box' && (
        <TextField {...form.field(`${side}.elements.${at}.text`)} label={of(t('Text'))} hint={t('It may hold {names}', { names })} />
      )}
      {kind !== 'photo' && <TextField {...form.field(`${side}.elements.${at}.colour`)} label={of(t('Colour'))} />}
      <SelectField
        {...form.field(`${side}.elements.${at}.when`)}
        label={of(t('Only where there is'))}
        placeholder={t('Always')}
        options={placeholders.map((value) => ({ value, label: value }))}
      />
      <NumberField {...form.field(`${side}.elements.${at}.x`)} label={of(t('From the left'))} min={0} max={cardSize.width} />
      <NumberField {...form.field(`${side}.elements.${at}.y`)} label={of(t('From the top'))} min={0} max={cardSize.height} />
      <NumberField {...form.field(`${side}.elements.${at}.width`)} label={of(t('Width'))} min={0} max={cardSize.width} />
      <NumberField {...form.field(`${side}.elements.${at}.height`)} label={of(t('Height'))} min={0} max={cardSize.height} />
      <Group align="end">
        <Button variant="default" onClick={onRemove}>
          {of(t('Remove'))}
        </Button>
      </Group>
    </SimpleGrid>
  )
}
