import type { Text } from './en.ts';
import { counted, isolated, number } from './locale.ts';

const people = (n: number) => counted(n, { one: 'persona', other: 'personas' });
const theDoor = (name: string | undefined) =>
  name === undefined ? 'una puerta' : `la puerta «${isolated(name)}»`;

export const conditions = {
  inside: (capacity) => (capacity === null ? 'dentro ahora' : `dentro ahora, aforo de ${number(capacity)}`),
  opening: {
    closed: 'Cerrada',
    at: (time) => `abre a las ${time}`,
    on: (day, time) => `abre el ${day}, ${time}`,
  },
  full: 'Llena',
  nearlyFull: 'Casi llena',
  overfull: (n) => `${number(n)} de más`,
  capacity: (percent) => `${percent} del aforo`,
  healthy: 'Todos los contadores funcionan bien',
  doubtful: 'La cifra puede ser incorrecta',
  completeUntil: (time) => `Datos completos hasta el ${time}`,
  completeUnknown: 'No se sabe hasta cuándo están completas las cifras',
  obstacle: ({ kind, count = 0, problem }, name) => {
    const at = `El contador de ${theDoor(name)}`;
    const door = `en ${theDoor(name)}`;
    if (kind === 'offline') return `${at} está desconectado`;
    if (kind === 'never-connected') return `${at} no se ha conectado nunca`;
    if (kind === 'pending') return `${at} ha contado ${people(count)} más; las cifras llegarán después`;
    if (kind === 'pending-unknown') return `${at} no ha indicado cuánto le falta por enviar`;
    if (kind === 'missing') return `Faltan ${people(count)} ${door}; se están recuperando`;
    if (kind === 'lost') return `No se ha podido contar a ${people(count)} ${door}`;
    if (kind === 'conflict') return `Primero hay que comprobar algunas cifras ${door}: llame a su operador`;
    if (kind === 'beam-blocked') return `${at} tiene la luz tapada: allí no se cuenta a nadie`;
    if (kind === 'direction-doubtful') return `${at} parece confundir a quienes entran con quienes salen`;
    if (kind === 'storage')
      return count
        ? `${at} no puede guardar ${people(count)}: no lo apague y llame a su instalador`
        : problem === 'failed'
          ? `${at} tiene la tarjeta de memoria dañada: llame a su instalador`
          : `${at} tiene la tarjeta de memoria llena: llame a su instalador`;
    if (kind === 'clock-unsynced') return `${at} no tiene el reloj en hora`;
    if (kind === 'no-devices') return 'Aquí no hay ningún contador instalado';
    return `${at} tiene un problema`;
  },
  alerts: {
    heading: 'Avisos de las últimas 24 horas',
    none: 'Sin avisos.',
    open: 'Ahora:',
    over: 'Terminado:',
    fromTo: (from, to) => `de ${from} a ${to}`,
    what: ({ kind, capacity }, name) => {
      const at = `El contador de ${theDoor(name)}`;
      const door = `de ${theDoor(name)}`;
      if (kind === 'device-inactive') return `${at} no responde`;
      if (kind === 'beam-blocked') return `${at} tiene la luz tapada`;
      if (kind === 'capacity-reached')
        return `La tienda está llena, con un aforo de ${people(capacity ?? 0)}`;
      if (kind === 'data-overdue') return 'Hay cifras con retraso';
      if (kind === 'limits-exceeded') return 'Un contador cuenta más de lo que cabe por una puerta';
      if (kind === 'flapping') return `El mismo problema ${door} se repite una y otra vez`;
      if (kind === 'crossings-missing') return `Faltan cifras ${door}`;
      if (kind === 'crossings-lost') return `Se han perdido cifras ${door}`;
      if (kind === 'disk-low') return `${at} tiene la memoria casi llena`;
      if (kind === 'version-old') return `${at} necesita una actualización`;
      if (kind === 'cloned-unit') return `Dos contadores se presentan como el ${door}`;
      if (kind === 'direction-doubtful') return `${at} quizá cuenta al revés`;
      if (kind === 'storage-failing') return `${at} no puede guardar sus cifras`;
      if (kind === 'service-unavailable') return 'No se pueden recibir cifras de ninguna tienda';
      if (kind === 'visitors-while-closed') return 'Entró alguien con la tienda cerrada';
      if (kind === 'silent-while-open') return `Nadie pasa por ${theDoor(name)} con la tienda abierta`;
      if (kind === 'door-drift') return `Las entradas y salidas ${door} ya no cuadran`;
      return 'Algo requiere su atención';
    },
  },
} satisfies Partial<Text>;
