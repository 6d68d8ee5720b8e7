import type { Text } from './en.ts';
import { counted, isolated, number, signed } from './locale.ts';

const visitors = (n: number) => counted(n, { one: 'visitante', other: 'visitantes' });

export const store = {
  ranges: {
    label: 'Periodo',
    today: 'Hoy',
    yesterday: 'Ayer',
    '7d': '7 días',
    '4w': '4 semanas',
    month: 'Este mes',
    year: 'Este año',
    custom: 'Otras fechas',
    choose: 'Elegir fechas',
    from: 'Primer día',
    to: 'Último día',
    show: 'Mostrar',
    order: 'El primer día no puede ser posterior al último.',
    compare: 'Comparar con',
    previous: 'Periodo anterior',
    weekdays: 'Mismos días de la semana',
    weekBefore: 'Mismo día de la semana pasada',
    dayBefore: 'Día anterior',
    yearBefore: 'Año anterior',
  },
  chart: {
    by: {
      hour: 'Visitantes por hora',
      day: 'Visitantes por día',
      week: 'Visitantes por semana',
      month: 'Visitantes por mes',
      stores: 'Visitantes por tienda',
    },
    summary: (n, period) => `${visitors(n)}, ${period}. La tabla de abajo tiene las mismas cifras.`,
    capacity: (n) => `Aforo de ${number(n)}`,
    table: 'Ver como tabla',
    compared: (period) => `Antes: ${period}`,
    gap: 'Incompleto',
    closed: 'Cerrado',
    clockChange: { before: 'antes del cambio de hora', after: 'después del cambio de hora' },
    insideAt: (n, time) => `${number(n)} dentro a las ${time}`,
    whileClosed: (n) => `${visitors(n)} con la tienda cerrada`,
    showClosed: 'Mostrar horas de cierre',
    none: 'Sin visitantes en este periodo.',
    staff: (n) => counted(n, { one: 'empleado descontado', other: 'empleados descontados' }),
  },
  figures: {
    comparable: (n) => `${number(n)} en los tiempos que tienen ambos periodos`,
    against: (before, period) => `frente a ${before} (${period})`,
    againstUntil: (before, period, time) => `frente a ${before} (${period}, hasta las ${time})`,
    noneBefore: 'Sin datos para comparar',
    busiestHour: 'Hora punta',
    busiestDay: 'Mejor día',
    average: 'Media diaria',
    days: (n) => counted(n, { one: 'día completo', other: 'días completos' }),
    sales: (n) => counted(n, { one: 'venta', other: 'ventas' }),
    onAverage: (hours) => `de media, ${hours}`,
  },
  whyInside: {
    set: (came, left, inside, by) =>
      `Entraron ${number(came)} y salieron ${number(left)}, pero hay ${number(inside)} dentro porque ${isolated(by)} fijó la cifra.`,
    floor: (came, left, inside) =>
      `Entraron ${number(came)} y salieron ${number(left)}, pero hay ${number(inside)} dentro porque la cifra nunca baja de cero.`,
  },
  balance: {
    even: 'Salieron tantas personas como entraron',
    few: 'Muy pocas personas para comparar entradas y salidas',
    open: 'Las entradas y salidas se pueden comparar cuando todos hayan salido',
    moreIn: (more, error) =>
      `Entraron ${more} más de los que salieron${error === undefined ? '' : `; los visitantes pueden ser un ${error} menos`}`,
    moreOut: (more, error) =>
      `Salieron ${number(more)} más de los que entraron${error === undefined ? '' : `; los visitantes pueden ser un ${error} más`}`,
  },
  heatmap: {
    heading: 'Cuándo viene la gente',
    hint: 'Media de visitantes por hora en este periodo. Rayado: cerrado o aún incompleto.',
    cell: (day, hour, n) => `${day}, ${hour}: ${number(n)} visitantes de media`,
    none: 'Todavía no hay ninguna hora completa en este periodo.',
  },
  doors: {
    heading: 'Puertas',
    in: 'Entradas',
    out: 'Salidas',
    before: {
      day: 'Entradas, día anterior',
      week: 'Entradas, semana anterior',
      year: 'Entradas, año anterior',
      other: 'Entradas, periodo anterior',
    },
    share: 'Cuota',
  },
  store: {
    unknown: 'Esta tienda no existe o usted no puede verla.',
    ask: 'Pregunte a su operador para qué tiendas vale su clave de acceso.',
    health: '¿Son fiables las cifras?',
    wall: 'Ver en pantalla mural',
    download: 'Descargar',
    print: 'Imprimir',
    corrected: ({ by, people, was }, at) =>
      `A las ${at}, ${by} cambió la cifra de ${number(was)} a ${number(people)} (${signed(people - was)}).`,
  },
  staffTap: {
    button: 'Ha entrado personal',
    explain: 'El personal que entra no cuenta como visitante. ¿Cuántos acaban de entrar?',
    done: (n) => `${counted(n, { one: 'persona no cuenta', other: 'personas no cuentan' })} como visitantes.`,
    entry: (n, time) => `${time}: ${counted(n, { one: 'persona', other: 'personas' })}`,
  },
  correction: {
    heading: 'Fijar la cifra de personas dentro',
    explain:
      'Cuente a las personas que hay dentro y escriba cuántas son. Queda registrado quién ha fijado la cifra.',
    button: 'Fijar',
    none: 'Hoy nadie ha fijado la cifra.',
    entry: (n, by, at) => `${at}: ${by} fijó la cifra en ${number(n)}`,
    undo: 'Deshacer',
    undoneBy: (by) => `deshecho por ${by}`,
    open: 'Fijar la cifra',
    certain: 'Sí, es correcta',
    change: (now, then) =>
      then === now
        ? `${number(now)} dentro, como ahora.`
        : `${number(then)} en lugar de ${number(now)} dentro (${signed(then - now)}), desde ahora, también en todos los informes.`,
    aboveCapacity: (people, capacity) =>
      `${number(people)} personas son más del doble del aforo de ${number(capacity)}. ¿Es correcta la cifra?`,
    aboveHighest: (people, highest) =>
      `En las últimas cuatro semanas nunca hubo más de ${number(highest)} personas dentro. ¿Es correcta la cifra de ${number(people)}?`,
    unansweredSince: (time) =>
      `El servidor no responde. Su cifra de las ${time} se conserva aquí. Inténtelo de nuevo.`,
  },
} satisfies Partial<Text>;
